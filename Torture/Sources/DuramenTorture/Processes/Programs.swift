/// The programs that trials start.
struct Programs: Sendable {
    /// This program, which is its own workers.
    let worker: String
    /// The library of faults; nil where there is none.
    let faults: String?
    /// The example `BatchImport`; nil when it was not built.
    let batchImport: String?

    /// Starts a worker.
    func start(
        _ name: String, _ kind: StoreKind, _ arguments: [String], fault: Fault? = nil
    ) throws -> ChildProcess {
        var environment: [String: String] = [:]
        if let fault {
            guard let faults else {
                throw TortureError("faults need Linux and the library TortureFaults")
            }
            environment = fault.environment
            environment["LD_PRELOAD"] = faults
        }
        return try ChildProcess(
            worker, ["worker", name, "store=\(kind.name)"] + arguments, environment: environment)
    }
}

/// What `TortureFaults` is told; see faults.c.
struct Fault: Sendable {
    enum Operation: String, CaseIterable, Sendable {
        case write, sync, truncate, open, read, unlink, rename, map, lock
    }

    enum Mode: String, Sendable {
        case once, sticky, short, kill, stop
    }

    /// Only files whose path begins so.
    var prefix: String
    var operations: [Operation] = []
    /// The call that fails, from 1, and how.
    var call = 0
    var mode: Mode?
    var error: Int32 = 0
    /// A file that ends the fault once it exists.
    var release: String?
    /// A file for the number of calls.
    var count: String?
    /// A file for a recording.
    var record: String?

    var environment: [String: String] {
        var result = [
            "TORTURE_PREFIX": prefix,
            "TORTURE_OPERATION": operations.map(\.rawValue).joined(separator: ","),
            "TORTURE_CALL": String(call), "TORTURE_ERROR": String(error),
        ]
        result["TORTURE_MODE"] = mode?.rawValue
        result["TORTURE_RELEASE"] = release
        result["TORTURE_COUNT"] = count
        result["TORTURE_RECORD"] = record
        return result
    }
}
