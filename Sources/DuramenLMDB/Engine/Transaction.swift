import CLMDB
import DuramenFileStore
import DuramenStore

/// A transaction of the engine: one unchanging state, or one change of it. Used by one thread at a
/// time.
///
/// What it returns points into the store's pages: valid until the transaction ends or writes.
final class Transaction {
    let environment: Environment
    private let handle: OpaquePointer
    let isWriting: Bool
    private var isEnded = false
    /// Whether a write failed for want of address space.
    private(set) var needsMap = false
    // One integer key at a time, for the engine to point at.
    private let number = UnsafeMutablePointer<Int64>.allocate(capacity: 1)

    private init(environment: Environment, handle: OpaquePointer, isWriting: Bool) {
        self.environment = environment
        self.handle = handle
        self.isWriting = isWriting
    }

    deinit {
        // The engine's reader table is the parent's.
        if !environment.process.isInherited { abort() }
        number.deallocate()
    }

    // MARK: - Life

    /// Begins to write. The caller holds the lock of all writers.
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

    /// Begins to read the newest state. The caller is inside the gate of readers.
    ///
    /// - Returns: Nil while the map has to grow first.
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

    /// The map must not grow under a transaction that writes; it leaves the gate when it ends.
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

    /// Ends reading but keeps the place among the readers.
    func reset() { mdb_txn_reset(handle) }

    /// Begins to read the newest state again after ``reset()``.
    ///
    /// - Returns: Whether it did; not so while the map has to grow.
    func renew() -> Bool { mdb_txn_renew(handle) == 0 }

    /// Commits; nothing is written when it fails, except where the result says otherwise.
    func commit() -> Int32 {
        isEnded = true
        defer { leaveGate() }
        return mdb_txn_commit(handle)
    }

    // Who reads has passed the gate before.
    private func leaveGate() { if isWriting { environment.gate.leave() } }

    /// Whether the engine has closed the transaction's cursors itself.
    var hasClosedCursors: Bool { isEnded && isWriting }

    /// Ends without a trace.
    func abort() {
        if isEnded { return }
        isEnded = true
        mdb_txn_abort(handle)
        leaveGate()
    }

    /// Runs `body` in a transaction that writes; when it needs a larger map, once more in another
    /// one.
    ///
    /// Nothing is written when `body` throws or gives nil. The caller holds the lock of all
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

    /// Opens a table, which is made when it is missing and `flags` say so.
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

    /// The table in which the engine keeps the others.
    func mainTable() throws(StoreError) -> Table {
        var table: MDB_dbi = 0
        let result = mdb_dbi_open(handle, nil, 0, &table)
        if result != 0 { throw error(result, "open") }
        return Table(handle: table)
    }

    /// The number of records.
    func count(_ table: Table) -> Int {
        var statistics = MDB_stat()
        return mdb_stat(handle, table.handle, &statistics) == 0 ? statistics.ms_entries : 0
    }

    /// Takes all records of a table away.
    func empty(_ table: Table) throws(StoreError) {
        let result = mdb_drop(handle, table.handle, 0)
        if result != 0 { throw error(result, "write to") }
    }

    // MARK: - Records

    /// The value of an integer key; nil when there is none.
    @inline(__always) func value(
        of key: Int64, in table: Table
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        number.pointee = key
        return try value(MDB_val(mv_size: 8, mv_data: number), table)
    }

    /// The value of a key; nil when there is none.
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

    /// Takes a record away.
    ///
    /// - Returns: Whether there was one.
    @discardableResult func remove(
        _ key: UnsafeRawBufferPointer, from table: Table
    ) throws(StoreError) -> Bool {
        try remove(MDB_val(key), table)
    }

    /// Takes the record of an integer key away.
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

    /// A cursor of a table, not to be used after the transaction.
    func cursor(_ table: Table) throws(StoreError) -> TableCursor {
        var made: OpaquePointer?
        let result = mdb_cursor_open(handle, table.handle, &made)
        guard result == 0, let cursor = made else { throw error(result, "read") }
        return TableCursor(handle: cursor, transaction: self)
    }

    /// The error of a commit that failed.
    func commitError(_ result: Int32, _ action: String) -> StoreError {
        let error = error(result, action)
        // The engine tells a write that was cut short from one that failed by no number of its own.
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
    // The engine only reads what keys and values point at.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}

extension UnsafeRawBufferPointer {
    init(_ value: MDB_val) { self.init(start: value.mv_data, count: value.mv_size) }
}
