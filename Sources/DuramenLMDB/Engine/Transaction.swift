import CLMDB
import DuramenFileStore
import DuramenStore

/// A transaction of the engine: one unchanging state, or one change of it. Used by one thread at a
/// time.
///
/// Its results point into the store's pages: they are valid until the transaction ends or writes.
final class Transaction {
    let environment: Environment
    private let handle: OpaquePointer
    let isWriting: Bool
    private var isEnded = false
    /// Whether a write failed for lack of address space.
    private(set) var needsMap = false
    // Memory for one integer key at a time, to which the engine points.
    private let number = UnsafeMutablePointer<Int64>.allocate(capacity: 1)

    private init(environment: Environment, handle: OpaquePointer, isWriting: Bool) {
        self.environment = environment
        self.handle = handle
        self.isWriting = isWriting
    }

    deinit {
        // A child made by fork must not use the parent's reader table.
        if !environment.process.isInherited { abort() }
        number.deallocate()
    }

    // MARK: - Lifetime

    /// Starts a write transaction. The caller holds the lock of all writers.
    static func writing(
        _ environment: Environment, durability: Durability, timeoutSeconds: Double
    ) throws(StoreError) -> Transaction {
        environment.durability = durability
        var (transaction, result) = beginInGate(environment)
        while result == EngineError.mapResized {
            try environment.growMap(withinSeconds: timeoutSeconds)
            (transaction, result) = beginInGate(environment)
        }
        guard let transaction else {
            throw EngineError.error(result, path: environment.path, action: "write to")
        }
        return transaction
    }

    /// Starts to read the newest state. The caller is inside the gate of readers.
    ///
    /// - Returns: Nil if the map must grow first.
    static func reading(_ environment: Environment) throws(StoreError) -> Transaction? {
        let flags = UInt32(MDB_RDONLY)
        var (transaction, result) = begin(environment, flags)
        if result == EngineError.readersFull, environment.removeDeadReaders() > 0 {
            (transaction, result) = begin(environment, flags)
        }
        if transaction == nil, result != EngineError.mapResized {
            throw EngineError.error(result, path: environment.path, action: "read")
        }
        return transaction
    }

    /// Starts a transaction inside the gate, which it leaves at its end: the map must not grow
    /// meanwhile.
    private static func beginInGate(_ environment: Environment) -> (Transaction?, Int32) {
        environment.gate.enter()
        let (transaction, result) = begin(environment, 0)
        if transaction == nil { environment.gate.leave() }
        return (transaction, result)
    }

    private static func begin(
        _ environment: Environment, _ flags: UInt32
    ) -> (Transaction?, Int32) {
        var made: OpaquePointer?
        let result = mdb_txn_begin(environment.handle, nil, flags, &made)
        guard result == 0, let handle = made else { return (nil, result) }
        return (
            Transaction(
                environment: environment, handle: handle,
                isWriting: flags & UInt32(MDB_RDONLY) == 0), 0
        )
    }

    /// The engine's number of the state.
    var stateNumber: Int { mdb_txn_id(handle) }

    /// Stops reading but keeps the reader's slot.
    func reset() { mdb_txn_reset(handle) }

    /// Starts to read the newest state again after ``reset()``.
    ///
    /// - Returns: Whether it did; false if the map must grow first.
    func renew() -> Bool { mdb_txn_renew(handle) == 0 }

    /// Commits; after a failure nothing is written, unless the result says otherwise.
    func commit() -> Int32 {
        isEnded = true
        defer { leaveGate() }
        return mdb_txn_commit(handle)
    }

    // Read transactions leave the gate elsewhere.
    private func leaveGate() { if isWriting { environment.gate.leave() } }

    /// Whether the engine has closed the transaction's cursors itself.
    var hasClosedCursors: Bool { isEnded && isWriting }

    /// Ends without changes.
    func abort() {
        if isEnded { return }
        isEnded = true
        mdb_txn_abort(handle)
        leaveGate()
    }

    /// Calls `body` in a write transaction; if it needs a larger map, once more in another one.
    ///
    /// Nothing is written when `body` throws or returns nil. The caller holds the lock of all
    /// writers.
    static func run<R>(
        _ environment: Environment, durability: Durability, timeoutSeconds: Double,
        commit: (Transaction) throws(StoreError) -> Void,
        _ body: (Transaction) throws(StoreError) -> R?
    ) throws(StoreError) -> R? {
        while true {
            let transaction = try writing(
                environment, durability: durability, timeoutSeconds: timeoutSeconds)
            do throws(StoreError) {
                guard let result = try body(transaction) else {
                    transaction.abort()
                    return nil
                }
                try commit(transaction)
                return result
            } catch {
                transaction.abort()
                guard transaction.needsMap else { throw error }
                try environment.growMap(
                    byAtLeast: environment.usedBytes, withinSeconds: timeoutSeconds)
            }
        }
    }

    // MARK: - Tables

    /// Opens a table, and creates it if it is missing and may be created.
    func table(
        _ name: String, hasIntegerKeys: Bool = false, creates: Bool = false
    ) throws(StoreError) -> Table? {
        var flags: UInt32 = 0
        if hasIntegerKeys { flags |= UInt32(MDB_INTEGERKEY) }
        if creates { flags |= UInt32(MDB_CREATE) }
        var table: MDB_dbi = 0
        let result = mdb_dbi_open(handle, name, flags, &table)
        if result == EngineError.notFound { return nil }
        if result != 0 { throw error(result, "open") }
        return Table(handle: table)
    }

    /// The engine's table of the other tables.
    func mainTable() throws(StoreError) -> Table {
        var table: MDB_dbi = 0
        let result = mdb_dbi_open(handle, nil, 0, &table)
        if result != 0 { throw error(result, "open") }
        return Table(handle: table)
    }

    /// Returns the number of records.
    func count(_ table: Table) -> Int {
        var statistics = MDB_stat()
        return mdb_stat(handle, table.handle, &statistics) == 0 ? statistics.ms_entries : 0
    }

    /// Removes all records of a table.
    func empty(_ table: Table) throws(StoreError) {
        let result = mdb_drop(handle, table.handle, 0)
        if result != 0 { throw error(result, "write to") }
    }

    // MARK: - Records

    /// Returns the value of an integer key; nil for none.
    @inline(__always) func value(
        of key: Int64, in table: Table
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        number.pointee = key
        return try value(MDB_val(mv_size: 8, mv_data: number), table)
    }

    /// Returns the value of a key; nil for none.
    func value(
        of key: UnsafeRawBufferPointer, in table: Table
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        try value(MDB_val(key), table)
    }

    @inline(__always) private func value(
        _ key: MDB_val, _ table: Table
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        var key = key
        var value = MDB_val()
        let result = mdb_get(handle, table.handle, &key, &value)
        if result == 0 { return UnsafeRawBufferPointer(value) }
        if result == MDB_NOTFOUND { return nil }
        throw error(result, "read")
    }

    /// Sets the value of a key.
    func put(
        _ bytes: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: Table
    ) throws(StoreError) {
        var key = MDB_val(key)
        var value = MDB_val(bytes)
        let result = mdb_put(handle, table.handle, &key, &value, 0)
        if result != 0 { throw error(result, "write to") }
    }

    /// Removes a record.
    ///
    /// - Returns: Whether the record existed.
    @discardableResult func remove(
        _ key: UnsafeRawBufferPointer, from table: Table
    ) throws(StoreError) -> Bool {
        try remove(MDB_val(key), table)
    }

    /// Removes the record of an integer key.
    @discardableResult func remove(_ key: Int64, from table: Table) throws(StoreError) -> Bool {
        number.pointee = key
        return try remove(MDB_val(mv_size: 8, mv_data: number), table)
    }

    private func remove(_ key: MDB_val, _ table: Table) throws(StoreError) -> Bool {
        var key = key
        let result = mdb_del(handle, table.handle, &key, nil)
        if result == 0 { return true }
        if result == MDB_NOTFOUND { return false }
        throw error(result, "write to")
    }

    /// Returns a cursor of a table, valid within the transaction.
    func cursor(_ table: Table) throws(StoreError) -> TableCursor {
        var made: OpaquePointer?
        let result = mdb_cursor_open(handle, table.handle, &made)
        guard result == 0, let cursor = made else { throw error(result, "read") }
        return TableCursor(handle: cursor, transaction: self)
    }

    /// Returns the error for a failed commit.
    func commitError(_ result: Int32, _ action: String) -> StoreError {
        let error = error(result, action)
        // The engine has no error number for an incomplete write.
        guard error.code == .io, let free = DiskSpace.freeBytes(at: environment.path),
            free < 1 << 20
        else { return error }
        return StoreError(
            .diskFull,
            "Cannot \(action) '\(environment.path)': the disk is full; nothing was written. Free some space.",
            detail: error.detail)
    }

    func error(_ result: Int32, _ action: String) -> StoreError {
        if result == MDB_MAP_FULL { needsMap = true }
        return EngineError.error(result, path: environment.path, action: action)
    }
}

extension MDB_val {
    // The engine only reads the memory of keys and values.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}

extension UnsafeRawBufferPointer {
    init(_ value: MDB_val) { self.init(start: value.mv_data, count: value.mv_size) }
}
