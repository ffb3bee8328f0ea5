import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore
import Synchronization

/// A connection with the statements that read rows. Confined by its owner.
final class RowSource {
    let connection: Connection
    let core: StoreCore
    private let store: StoreHandle
    private var lookups: [RowLookup?]
    // Objects of one entity are asked for one after the other. Sound: the connection is confined.
    @exclusivity(unchecked) private var lastLookup: RowLookup?
    private var decimals: DecimalDigits?
    /// Whether this transaction found stored digits; nil if it has not searched yet.
    private var digitsExist: Bool?
    private var sink: RowSink?
    private let external: ExternalReading

    init(connection: Connection, core: StoreCore) {
        self.connection = connection
        self.core = core
        external = ExternalReading(core.external, schema: core.schema)
        store = core.schema.store
        lookups = Array(repeating: nil, count: core.schema.model.entities.count)
    }

    /// Resets everything that is valid for one transaction only.
    func transactionDidChange() { digitsExist = nil }

    /// Returns a reader for rows of a plan.
    @inline(__always) func reader(for plan: ReadPlan) throws(StoreError) -> RowReader {
        RowReader(
            plan: plan, schema: core.schema, digits: plan.hasDecimals ? try keptDigits() : nil,
            external: external)
    }

    /// Returns the sink for whole rows, created at its first use.
    func rowSink() throws(StoreError) -> RowSink {
        if let sink { return sink }
        let made = try RowSink(connection: connection)
        sink = made
        return made
    }

    func keptDigits() throws(StoreError) -> DecimalDigits? {
        guard core.hasOwnTables else { return nil }
        if digitsExist == nil {
            digitsExist = try connection.integer("SELECT 1 FROM DURAMEN_DECIMAL LIMIT 1") != nil
        }
        guard digitsExist == true else { return nil }
        if let decimals { return decimals }
        let made = try DecimalDigits(connection: connection, schema: core.schema)
        decimals = made
        return made
    }

    /// Steps a statement and copies rows until there are `maximum`, or it ends.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - reader: The reader of the rows.
    ///   - builder: Receives the rows.
    ///   - maximum: The largest number of rows, fewer when they are large; nil for all rows until
    ///     they take more than `limit`.
    ///   - limit: The largest number of bytes, if `maximum` is nil.
    /// - Returns: Whether the statement may have more rows.
    @inline(__always) func copyRows(
        of statement: Statement, with reader: RowReader, into builder: inout RowBatchBuilder,
        maximum: Int?, limit: Int = .max
    ) throws(StoreError) -> Bool {
        let handle = statement.handle
        var hasMore = true
        // At least two rows, so that the caller detects that the limit was exceeded.
        while maximum.map({ builder.count < $0 && !builder.isFull })
            ?? (builder.byteCount <= limit || builder.count < 2)
        {
            let result = sqlite3_step(handle)
            if result != SQLITE_ROW {
                guard result == SQLITE_DONE else { throw connection.error(result, "read") }
                hasMore = false
                break
            }
            _ = reader.addRow(of: handle, to: &builder)
        }
        try external.check()
        return hasMore
    }

    // MARK: - Rows by key

    /// Returns the row of one object; nil if it does not exist.
    func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        guard id.store == store, id.key > 0 else { return nil }
        let lookup: RowLookup
        if let last = lastLookup, last.entityHandle == id.entityHandle {
            lookup = last
        } else {
            guard let entity = core.schema.model.entity(for: id.entityHandle)?.id else {
                return nil
            }
            if let known = lookups[entity.index] {
                lookup = known
            } else {
                lookup = try RowLookup(self, entity, id.entityHandle)
                lookups[entity.index] = lookup
            }
            lastLookup = lookup
        }
        return try lookup.row(id.key, on: self)
    }

    /// Adds the rows with keys, which ascend and are distinct, of one table.
    ///
    /// - Throws: `.tooLarge` when they take more bytes than `limit`.
    func addRows(
        keys: [Int64], table: Int, into builder: inout RowBatchBuilder, limit: Int
    ) throws(StoreError) {
        let plan = core.tablePlans[table]
        let reader = try reader(for: plan)
        var start = 0
        while start < keys.count {
            let end = min(start + KeyList.longest, keys.count)
            let size = KeyList.size(for: end - start)
            let statement = try connection.take(
                StatementKey(purpose: .batch, place: table * 1_000 + size, clause: "")
            ) {
                RequestStatements(mapping: core.schema, dialect: core.dialect).rows(
                    plan.columns, of: plan.entities[0], keys: KeyList.placeholders(size))
            }
            KeyList.bind(keys[start..<end], size: size, to: statement, from: 1)
            connection.begin(statement)
            let before = builder.count
            defer {
                core.counters.noteRows(builder.count - before)
                connection.giveBack(statement, rows: builder.count - before)
            }
            _ = try copyRows(
                of: statement, with: reader, into: &builder, maximum: nil, limit: limit)
            try builder.check(limit: limit)
            start = end
        }
    }
}

/// Lists of keys as parameters: in few sizes, padded with NULL.
enum KeyList {
    static let longest = 500

    static func size(for count: Int) -> Int { count <= 8 ? 8 : count <= 64 ? 64 : longest }

    static func placeholders(_ size: Int) -> String {
        "?" + String(repeating: ",?", count: size - 1)
    }

    static func bind(
        _ keys: ArraySlice<Int64>, size: Int, to statement: Statement, from place: Int32
    ) {
        var place = place
        for key in keys {
            statement.bind(key, at: place)
            place += 1
        }
        for _ in keys.count..<size {
            sqlite3_bind_null(statement.handle, place)
            place += 1
        }
    }
}

/// A connection that holds one read transaction at a time.
// Sound: everything but `mutex` and `lossFlag` is used with `mutex` held only.
final class Reader: SnapshotReader, @unchecked Sendable {
    let mutex = Locked<Void>(())
    /// The number of the store's readers that were opened before.
    let number: Int
    let source: RowSource
    /// The reason why the transaction was lost; nil while it is open.
    private(set) var lost: StoreError? {
        didSet { lossFlag.store(lost != nil, ordering: .relaxed) }
    }
    private let lossFlag = Atomic<Bool>(false)
    private let version: Statement
    private let generation: Statement
    private let explicit: ExplicitTransaction
    private let schema: SchemaWatch
    /// The last state that was read, and the engine's number of it.
    private var known: (version: Int64, generation: StoreGeneration)?
    private var logIndex: LogIndex?
    /// Whether ``logIndex`` is known: nil then means that the file has no log.
    private var hasLookedForIndex = false
    /// The index of the log at the start of the transaction; nil if uncertain.
    private var head: LogIndex.Head?

    init(connection: Connection, core: StoreCore, number: Int) throws(StoreError) {
        self.number = number
        try FoldingFunction.register(on: connection)
        try ContainmentFunction.register(on: connection)
        try CallFunction.register(on: connection)
        if core.checksums != nil { try ChecksumFunctions.register(on: connection) }
        source = RowSource(connection: connection, core: core)
        version = try connection.prepare("PRAGMA data_version")
        generation = try connection.prepare(
            core.hasOwnTables
                ? "SELECT MAX(Z_PK) FROM DURAMEN_SAVE" : "SELECT 0 FROM Z_METADATA LIMIT 1")
        explicit = try ExplicitTransaction(on: connection)
        schema = try SchemaWatch(connection, core)
    }

    var isLost: Bool { lossFlag.load(ordering: .relaxed) }

    // SQLite: an unfinished SELECT keeps a read transaction open for all statements of its
    // connection (lang_transaction.html). So one run replaces BEGIN, a first read and COMMIT. Its
    // number changes with every commit that the connection sees, and only then (pragma.html). These
    // runs are counted as a snapshot, not as statements.
    func begin() throws(StoreError) -> StoreGeneration {
        let connection = source.connection
        lost = nil
        let before = logIndex?.head
        let result = version.step()
        guard result == SQLITE_ROW else {
            let failure = connection.error(result, "read")
            end()
            throw failure
        }
        // It is unknown whether a commit between the two reads is in the transaction.
        head = before == logIndex?.head ? before : nil
        // The engine maps the index with the first transaction.
        if !hasLookedForIndex {
            logIndex = LogIndex(of: connection)
            hasLookedForIndex = true
        }
        let number = sqlite3_column_int64(version.handle, 0)
        if let known, known.version == number { return known.generation }
        known = nil
        source.transactionDidChange()
        do throws(StoreError) {
            try schema.check()
        } catch {
            end()
            throw error
        }
        let read = try readGeneration()
        known = (number, read)
        return read
    }

    private func readGeneration() throws(StoreError) -> StoreGeneration {
        let result = generation.step()
        let number = sqlite3_column_int64(generation.handle, 0)
        let failure = result == SQLITE_ROW ? nil : source.connection.error(result, "read")
        sqlite3_reset(generation.handle)
        if let failure {
            end()
            throw failure
        }
        return StoreGeneration(rawValue: number)
    }

    /// Whether no process has committed since the transaction began.
    var isNewest: Bool { head != nil && head == logIndex?.head && !isLost }

    /// Whether a generation is what the writer's connection would read.
    func isNewest(_ wanted: StoreGeneration, on connection: Connection) -> Bool {
        connection.peek("SELECT MAX(Z_PK) FROM DURAMEN_SAVE") == wanted.rawValue
    }

    /// Restarts the transaction on the same state, which nobody may change meanwhile.
    ///
    /// An open cursor keeps the old transaction open, which is fine.
    func beginAnew() {
        mutex.withLock { _ in
            end()
            do throws(StoreError) { _ = try begin() } catch { lost = error }
        }
    }

    /// Counts a look-up of one object by its key.
    @inline(__always) func noteLookUp() { explicit.noteStatement() }

    func end() {
        sqlite3_reset(version.handle)
        explicit.end()
    }

    /// Ends the transaction while snapshots still use it; they get an error from now on.
    func endIfUnused() -> Bool {
        mutex.withLockIfAvailable { _ in
            if lost != nil { return false }
            // The statements of cursors keep a transaction open.
            source.connection.endAllRuns()
            end()
            lost = source.core.held.lease.expired(source.core.path)
            return true
        } ?? false
    }
}
