import CLMDB
import DuramenStore

/// A place in a table. Used by one thread at a time, within its transaction.
final class TableCursor {
    /// One record; its bytes are valid until the transaction ends or writes.
    struct Record {
        var key: UnsafeRawBufferPointer
        var value: UnsafeRawBufferPointer
    }

    private let handle: OpaquePointer
    private let transaction: Transaction
    private let number = UnsafeMutablePointer<Int64>.allocate(capacity: 1)

    init(handle: OpaquePointer, transaction: Transaction) {
        self.handle = handle
        self.transaction = transaction
    }

    deinit {
        if !transaction.hasClosedCursors, !transaction.environment.process.isInherited {
            mdb_cursor_close(handle)
        }
        number.deallocate()
    }

    // MARK: - Moving

    func first() throws(StoreError) -> Record? { try move(MDB_FIRST) }
    func last() throws(StoreError) -> Record? { try move(MDB_LAST) }
    @inline(__always) func next() throws(StoreError) -> Record? { try move(MDB_NEXT) }
    func previous() throws(StoreError) -> Record? { try move(MDB_PREV) }

    /// The record of an integer key.
    @inline(__always) func find(_ key: Int64) throws(StoreError) -> Record? {
        number.pointee = key
        return try move(MDB_SET_KEY, MDB_val(mv_size: 8, mv_data: number))
    }

    /// The first record whose key is not before `key`.
    func seek(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Record? {
        try move(MDB_SET_RANGE, MDB_val(key))
    }

    /// The first record whose integer key is not before `key`.
    func seek(_ key: Int64) throws(StoreError) -> Record? {
        number.pointee = key
        return try move(MDB_SET_RANGE, MDB_val(mv_size: 8, mv_data: number))
    }

    @inline(__always) private func move(
        _ operation: MDB_cursor_op, _ key: MDB_val = MDB_val()
    ) throws(StoreError) -> Record? {
        var key = key
        var value = MDB_val()
        let result = mdb_cursor_get(handle, &key, &value, operation)
        if result == 0 {
            return Record(
                key: UnsafeRawBufferPointer(key), value: UnsafeRawBufferPointer(value))
        }
        if result == MDB_NOTFOUND { return nil }
        throw transaction.error(result, "read")
    }

    // MARK: - Writing

    /// Makes a record of an integer key and returns the place for its bytes, which must be written
    /// at once.
    ///
    /// - Parameter appends: Whether the key follows all others, which spares the search.
    /// - Returns: Nil when the key is in use and must not be.
    @inline(__always) func reserve(
        _ count: Int, for key: Int64, appends: Bool = false, overwrites: Bool = false
    ) throws(StoreError) -> UnsafeMutableRawBufferPointer? {
        number.pointee = key
        var keyValue = MDB_val(mv_size: 8, mv_data: number)
        var value = MDB_val(mv_size: count, mv_data: nil)
        var flags = UInt32(MDB_RESERVE)
        if appends { flags |= UInt32(MDB_APPEND) }
        if !overwrites { flags |= UInt32(MDB_NOOVERWRITE) }
        let result = mdb_cursor_put(handle, &keyValue, &value, flags)
        if result == 0 { return UnsafeMutableRawBufferPointer(start: value.mv_data, count: count) }
        if result == MDB_KEYEXIST { return nil }
        throw transaction.error(result, "write to")
    }

    /// Sets the value of a key.
    ///
    /// - Returns: Whether the key was free; nothing is written otherwise.
    @discardableResult func insert(
        _ bytes: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer
    ) throws(StoreError) -> Bool {
        var key = MDB_val(key)
        var value = MDB_val(bytes)
        let result = mdb_cursor_put(handle, &key, &value, UInt32(MDB_NOOVERWRITE))
        if result == 0 { return true }
        if result == MDB_KEYEXIST { return false }
        throw transaction.error(result, "write to")
    }

    /// Takes the record at the cursor away; ``next()`` then gives the one behind it.
    func removeCurrent() throws(StoreError) {
        let result = mdb_cursor_del(handle, 0)
        if result != 0 { throw transaction.error(result, "write to") }
    }
}
