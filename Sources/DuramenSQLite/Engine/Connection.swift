import CSQLite
import DuramenFileStore
import DuramenQuery
import DuramenSQL
import DuramenStore

/// An SQLite connection with its cached statements. Confined by its owner.
final class Connection {
    let handle: OpaquePointer
    private let file: OpenStoreFile
    let path: String
    let counters: StoreCounters
    /// The state of the file when it was opened without a log; nil for other connections.
    var unwritten: UnwrittenFile?
    private let timeoutSeconds: Double
    private var idle: [StatementKey: Statement] = [:]
    /// The statements of queries, by the numbers of their texts.
    private var queries: [Int: Statement] = [:]
    private let isVerbose = Diagnostics.level > 0
    private let hidesValues: Bool

    /// Takes ownership of an open handle.
    init(
        handle: OpaquePointer, file: OpenStoreFile, path: String, counters: StoreCounters,
        timeoutSeconds: Double, hidesValues: Bool
    ) {
        self.hidesValues = hidesValues
        self.timeoutSeconds = timeoutSeconds
        self.handle = handle
        self.file = file
        self.path = path
        self.counters = counters
    }

    deinit {
        idle.removeAll()
        queries.removeAll()
        // A child made by fork does not touch what its parent opened.
        if !file.isInherited { sqlite3_close_v2(handle) }
    }

    // MARK: - Statements

    /// Prepares a statement that the caller keeps.
    func prepare(_ sql: String) throws(StoreError) -> Statement {
        var made: OpaquePointer?
        var text = sql
        let result = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    handle, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                    &made, nil)
            }
        }
        guard result == SQLITE_OK, let made else {
            throw error(result, "prepare a statement on")
        }
        let statement = Statement(handle: made, sql: sql, file: file)
        Diagnostics.prepared(statement, on: handle)
        return statement
    }

    /// Takes the statement of a shape out of the cache, or prepares it.
    func take(
        _ key: StatementKey, _ sql: () throws(StoreError) -> String
    ) throws(StoreError) -> Statement {
        if let known = idle.removeValue(forKey: key) { return known }
        if idle.count >= Self.mostStatements { idle.removeAll() }
        let statement = try prepare(try sql())
        statement.key = key
        return statement
    }

    /// The largest number of parameters of a statement.
    private(set) lazy var parameterLimit = Int(
        sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))

    /// Takes the statement of a text out of the cache, or prepares it.
    func take(_ text: StatementText) throws(StoreError) -> Statement {
        if let known = queries.removeValue(forKey: text.number) { return known }
        if queries.count >= Self.mostStatements { queries.removeAll() }
        let statement = try prepare(text.sql)
        statement.number = text.number
        return statement
    }

    /// Ends a run and returns the statement to the cache.
    func giveBack(_ statement: Statement, rows: Int? = nil) {
        end(statement, rows: rows)
        if let number = statement.number { queries[number] = statement }
        if let key = statement.key { idle[key] = statement }
    }

    // Limits the memory for an ever growing number of shapes.
    private static let mostStatements = 2_000

    /// Records the start of a run.
    @inline(__always) func begin(_ statement: Statement) {
        counters.noteStatement()
        if isVerbose { statement.startedAt = .now }
    }

    /// Ends a run; the statement can be bound again.
    @inline(__always) func end(_ statement: Statement, rows: Int? = nil) {
        if isVerbose { Diagnostics.finished(statement, rows: rows, hidesValues: hidesValues) }
        sqlite3_reset(statement.handle)
    }

    /// Runs a cached statement without result rows.
    @inline(__always) func run(_ statement: Statement, _ action: String) throws(StoreError) {
        begin(statement)
        let result = statement.step()
        end(statement)
        if result != SQLITE_DONE { throw error(result, action) }
    }

    /// Runs a statement that is rarely needed.
    func execute(_ sql: String) throws(StoreError) {
        if let failure = try result(of: sql) { throw failure.error }
    }

    /// Creates a unique index.
    ///
    /// - Returns: False if rows share values, so that the index was not created.
    func makeUniqueIndex(_ sql: String) throws(StoreError) -> Bool {
        guard let failure = try result(of: sql) else { return true }
        if SQLiteErrorMapping.isUniqueViolation(failure.code) { return false }
        throw failure.error
    }

    /// Runs a statement; nil on success.
    private func result(of sql: String) throws(StoreError) -> (code: Int32, error: StoreError)? {
        let statement = try prepare(sql)
        begin(statement)
        var result = statement.step()
        while result == SQLITE_ROW { result = statement.step() }
        if result != SQLITE_DONE {
            let failure = error(result, "use")
            sqlite3_reset(statement.handle)
            return (result, failure)
        }
        end(statement)
        return nil
    }

    /// Calls `body`, and interrupts its statements when a flag is raised.
    func stopping(
        on flag: CancellationFlag, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        // Sound: the flag lives until the handler is taken away.
        let context = Unmanaged.passUnretained(flag).toOpaque()
        sqlite3_progress_handler(
            handle, 10_000,
            { flag in
                guard let flag else { return 0 }
                // Sound: it is the flag that was handed over.
                return Unmanaged<CancellationFlag>.fromOpaque(flag).takeUnretainedValue()
                    .isCancelled ? 1 : 0
            }, context)
        defer {
            sqlite3_progress_handler(handle, 0, nil, nil)
            withExtendedLifetime(flag) {}
        }
        try body()
    }

    /// Runs statements in one transaction, without counting them; it is rolled back when one fails.
    func transaction(_ statements: [String]) throws(StoreError) {
        let sql = "BEGIN IMMEDIATE;" + statements.map { $0 + ";" }.joined() + "COMMIT"
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        if result == SQLITE_OK { return }
        let failure = error(result, "use")
        if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
        throw failure
    }

    /// Calls `body` in a transaction, which is rolled back when it throws.
    func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try body()
            try execute("COMMIT")
        } catch {
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Returns the first column of the first row of a statement that is rarely needed.
    func integer(
        _ sql: String, _ parameter: SQLParameter? = nil
    ) throws(StoreError) -> Int64? {
        let statement = try prepare(sql)
        if let parameter { statement.bind(parameter, at: 1) }
        begin(statement)
        defer { end(statement) }
        switch statement.step() {
        case SQLITE_ROW: return sqlite3_column_int64(statement.handle, 0)
        case SQLITE_DONE: return nil
        case let result: throw error(result, "read")
        }
    }

    /// Returns the texts of the first column of a statement that is rarely needed.
    func texts(_ sql: String) throws(StoreError) -> [String] {
        let statement = try prepare(sql)
        begin(statement)
        defer { end(statement) }
        var texts: [String] = []
        while true {
            switch statement.step() {
            case SQLITE_ROW:
                texts.append(
                    sqlite3_column_text(statement.handle, 0).map { String(cString: $0) } ?? "")
            case SQLITE_DONE: return texts
            case let result: throw error(result, "read")
            }
        }
    }

    /// Calls `body` with each row of a statement that the caller keeps.
    func forEachRow(
        of statement: Statement, _ body: (StatementColumns) -> Void
    ) throws(StoreError) {
        begin(statement)
        defer { end(statement) }
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else { throw error(result, "read") }
            body(StatementColumns(statement: statement.handle))
        }
    }

    // MARK: - State

    /// Calls `body` in a write transaction without changes, so that nobody else can write.
    func holdingWriteLock(_ body: () -> Void) throws(StoreError) {
        let result = sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil)
        if result != SQLITE_OK { throw error(result, "use") }
        body()
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Calls `body` with another time-out for other programs.
    func withPatience<R, Failure: Error>(
        seconds: Double, _ body: () throws(Failure) -> R
    ) throws(Failure) -> R {
        sqlite3_busy_timeout(handle, Int32(clamping: Int(seconds * 1_000)))
        defer { sqlite3_busy_timeout(handle, Int32(clamping: Int(timeoutSeconds * 1_000))) }
        return try body()
    }

    /// A number that changes when another connection has committed; 0 if unknown.
    var foreignCommits: Int64 {
        peek("PRAGMA data_version") ?? 0
    }

    /// Returns a number without counting a statement; 0 for null.
    func looked(_ sql: String) throws(StoreError) -> Int64 {
        let statement = try prepare(sql)
        let result = statement.step()
        if result != SQLITE_ROW { throw error(result, "read") }
        return sqlite3_column_int64(statement.handle, 0)
    }

    /// Returns a number for housekeeping without counting a statement; nil on failure.
    func peek(_ sql: String) -> Int64? {
        guard let statement = try? prepare(sql), statement.step() == SQLITE_ROW else { return nil }
        return sqlite3_column_int64(statement.handle, 0)
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last statement changed.
    @inline(__always) var changes: Int { Int(sqlite3_changes(handle)) }

    /// Resets all statements, so that none keeps a transaction open.
    func endAllRuns() {
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
            statement = sqlite3_next_stmt(handle, current)
        }
    }

    func error(_ result: Int32, _ action: String) -> StoreError {
        SQLiteErrorMapping.error(result, connection: handle, path: path, action: action)
    }
}
