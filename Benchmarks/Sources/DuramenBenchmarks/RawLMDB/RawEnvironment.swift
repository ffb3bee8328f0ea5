import CBenchmarkLMDB
import Foundation

/// An LMDB environment with the two tables of the workload, as thin as Swift allows.
///
/// Settings are those of Duramen's store under `.relaxed`, where a commit reaches the disk but for
/// the head page that names it, which goes with the next one, or under `.full`.
final class RawEnvironment {
    private let handle: OpaquePointer
    private var quakes: MDB_dbi = 0
    private var regions: MDB_dbi = 0

    /// Opens the environment in a folder, and makes both when they are missing.
    init(_ path: String, isDurable: Bool = false) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        var made: OpaquePointer?
        try check(mdb_env_create(&made))
        guard let made else { throw RawError(message: "LMDB has no memory to open '\(path)'.") }
        handle = made
        try check(mdb_env_set_mapsize(handle, 1 << 40))
        try check(mdb_env_set_maxdbs(handle, 2))
        let flags = UInt32(MDB_NOTLS) | (isDurable ? 0 : UInt32(MDB_NOMETASYNC))
        try check(mdb_env_open(handle, path, flags, 0o600))
        try write { transaction in
            let table = UInt32(MDB_CREATE) | UInt32(MDB_INTEGERKEY)
            try check(mdb_dbi_open(transaction.handle, "quakes", table, &quakes))
            try check(mdb_dbi_open(transaction.handle, "regions", table, &regions))
        }
    }

    deinit { mdb_env_close(handle) }

    /// Runs a body in a transaction that commits behind it.
    func write(_ body: (RawTransaction) throws -> Void) throws {
        let transaction = try begin(0)
        do {
            try body(transaction)
        } catch {
            mdb_txn_abort(transaction.handle)
            throw error
        }
        try check(mdb_txn_commit(transaction.handle))
    }

    /// Runs a body in a transaction that only reads.
    func read<Result>(_ body: (RawTransaction) throws -> Result) throws -> Result {
        let transaction = try begin(UInt32(MDB_RDONLY))
        defer { mdb_txn_abort(transaction.handle) }
        return try body(transaction)
    }

    private func begin(_ flags: UInt32) throws -> RawTransaction {
        var begun: OpaquePointer?
        try check(mdb_txn_begin(handle, nil, flags, &begun))
        guard let begun else { throw RawError(message: "LMDB has no memory for a transaction.") }
        return RawTransaction(handle: begun, quakes: quakes, regions: regions)
    }
}

/// Throws what LMDB says about a result code that is no success.
@inline(__always)
func check(_ result: Int32) throws {
    if result != 0 { throw RawError(message: "LMDB: \(String(cString: mdb_strerror(result))).") }
}
