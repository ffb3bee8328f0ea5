import CBenchmarkSQLite

/// A connection to a SQLite file, as thin as Swift allows.
///
/// Settings are those of Duramen's store with `.relaxed`, write-ahead log and synchronous NORMAL,
/// or with `.full`, and no mutex of SQLite's own, since one thread at a time uses the connection.
final class RawConnection {
    let path: String
    private let handle: OpaquePointer

    init(_ path: String, isDurable: Bool = false) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else { throw RawError(message: "SQLite has no memory to open '\(path)'.") }
        guard code == SQLITE_OK else {
            let message = String(cString: sqlite3_errmsg(opened))
            sqlite3_close_v2(opened)
            throw RawError(message: "Cannot open '\(path)': \(message).")
        }
        handle = opened
        self.path = path
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
    }

    deinit {
        // Closes once the last statement is gone, in whatever order they go.
        sqlite3_close_v2(handle)
    }

    /// Runs one or more statements and ignores their rows.
    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw RawError(message: "\(String(cString: sqlite3_errmsg(handle))), in: \(sql)")
        }
    }

    /// Runs a body in a transaction that takes the write lock at once.
    func write(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        try body()
        try execute("COMMIT")
    }

    func prepare(_ sql: String) throws -> RawStatement {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil) == SQLITE_OK,
            let prepared
        else {
            throw RawError(message: "\(String(cString: sqlite3_errmsg(handle))), in: \(sql)")
        }
        return RawStatement(prepared)
    }
}

/// What SQLite said, in words.
struct RawError: Error, CustomStringConvertible {
    let message: String

    var description: String { message }
}
