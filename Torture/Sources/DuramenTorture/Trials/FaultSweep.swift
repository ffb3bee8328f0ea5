import Foundation

/// Lets every call of the system on the store's files fail in turn, in several ways.
enum FaultSweep {
    /// One way to fail at one call.
    struct Case: Sendable {
        var operation: Fault.Operation
        var way: Way
        var call: Int

        var name: String { "\(operation.rawValue):\(way.name):\(call)" }
    }

    struct Way: Sendable {
        var name: String
        var mode: Fault.Mode
        var error: Int32

        static let ioErrors = [
            Way(name: "io-once", mode: .once, error: EIO),
            Way(name: "io-sticky", mode: .sticky, error: EIO),
        ]
        static let fullDisk = [
            Way(name: "full-once", mode: .once, error: ENOSPC),
            Way(name: "full-sticky", mode: .sticky, error: ENOSPC),
        ]
        static let killing = [Way(name: "kill", mode: .kill, error: 0)]

        /// The ways in which calls of an operation can fail.
        static func all(_ operation: Fault.Operation) -> [Way] {
            switch operation {
            case .write:
                ioErrors + fullDisk + killing + [Way(name: "short", mode: .short, error: 0)]
            case .sync, .truncate, .open, .rename: ioErrors + fullDisk + killing
            case .read, .unlink, .map, .lock: ioErrors + killing
            }
        }
    }

    /// No call of the library may take longer. SQLite tries for 10 s to lock a file whose locks
    /// fail.
    static let limit = Duration.seconds(12)

    static func run(_ run: TrialRun) throws -> String {
        let tally = Tally()
        let all = try cases(run) { folder, fault in try start(in: folder, run, fault) }
        let chosen = choose(all, run)
        // Locks that fail make an engine wait; most of the time nobody uses the processors then.
        let (waiting, working) = (
            chosen.filter { $0.operation == .lock }, chosen.filter { $0.operation != .lock }
        )
        try run.forEach(of: working, total: chosen.count) { item, auditor in
            try hold(item, run, auditor, tally)
        }
        try run.forEach(of: waiting, total: chosen.count, lanes: 8) { item, auditor in
            try hold(item, run, auditor, tally)
        }
        return "\(chosen.count) of \(all.count) faulted runs (\(tally.list("calls "))); "
            + "ended well \(tally["well"]), with typed errors \(tally["typed"]), killed "
            + "\(tally["killed"]); errors by code: \(tally.list("code ")); "
            + "longest call \(tally["milliseconds"]) ms; \(run.violations.count) violations"
    }

    /// The cases that a run asks for. A slice has some of everything.
    static func choose(_ all: [Case], _ run: TrialRun) -> [Case] {
        if let only = run.only { return all.filter { $0.name == only } }
        guard let count = run.count, count < all.count else { return all }
        return (0..<count).map { all[$0 * all.count / count] }
    }

    /// A clean run of a worker, which says `done` in the end, tells how many calls of each
    /// operation there are.
    static func cases(
        _ run: TrialRun, _ start: (_ folder: String, Fault) throws -> ChildProcess
    ) throws -> [Case] {
        var cases: [Case] = []
        for operation in Fault.Operation.allCases {
            let folder = try run.newFolder("count")
            let count = "\(run.folder)/count-of-calls"
            let fault = Fault(prefix: "\(folder)/", operations: [operation], count: count)
            let worker = try start(folder, fault)
            let end = worker.finish(before: .now + limit)
            guard end == .exited(0), worker.remarks.last == "done",
                let calls = Int(
                    String(decoding: try FileSystem.bytes(of: count), as: UTF8.self)
                        .trimmingCharacters(in: .whitespacesAndNewlines))
            else { throw TortureError("the run without faults failed: \(worker.remarks)") }
            for way in Way.all(operation) {
                // An engine that gets no lock tries for seconds; every eighth call is enough.
                let step = operation == .lock && way.mode == .sticky ? 8 : 1
                for call in stride(from: 1, through: calls, by: step) {
                    cases.append(Case(operation: operation, way: way, call: call))
                }
            }
        }
        return cases
    }

    private static func start(
        in folder: String, _ run: TrialRun, _ fault: Fault, errors: Int = .max
    ) throws -> ChildProcess {
        try run.start(
            "bank", in: folder,
            [
                "transactions=12", "maintain-every=4", "reopen-after=8",
                "timeout-milliseconds=200", "seed=\(run.seed)", "errors=\(errors)",
            ], fault: fault)
    }

    private static func hold(
        _ item: Case, _ run: TrialRun, _ auditor: Auditor, _ tally: Tally
    ) throws {
        let folder = try run.newFolder(item.name)
        let fault = Fault(
            prefix: "\(folder)/", operations: [item.operation], call: item.call,
            mode: item.way.mode, error: item.way.error)
        // Each save would wait for the lock as long as the first, even after a single failure: the
        // one that was not given back.
        let errors = item.operation == .lock ? 1 : Int.max
        let worker = try start(in: folder, run, fault, errors: errors)
        var state = BankRun()
        var lines: [String] = []
        var last = ContinuousClock.now
        while let line = worker.readLine(before: last + limit) {
            let now = ContinuousClock.now
            tally.raise("milliseconds", to: Int(last.duration(to: now) / .milliseconds(1)))
            last = now
            state.note(line)
            lines.append(line)
        }
        let end = worker.finish(before: last + limit)
        tally.add("calls \(item.operation.rawValue)")
        for (code, count) in state.codes { tally.add("code \(code)", count) }

        var problems = state.wrong
        switch end {
        case .exited(0) where state.isDone:
            tally.add(state.codes.isEmpty ? "well" : "typed")
        case .exited(0) where !state.codes.isEmpty: tally.add("typed")
        case .signalled(SIGKILL) where item.way.mode == .kill: tally.add("killed")
        default: problems.append("the worker ended with \(end): \(lines.suffix(3))")
        }
        if let problem = state.contradiction(to: try auditor.audit(folder)) {
            problems.append(problem)
        }
        for problem in problems { run.violated(problem, case: item.name, keeping: folder) }
        FileSystem.remove(folder)
    }
}
