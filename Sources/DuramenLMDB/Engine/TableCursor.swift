import CLMDB
import DuramenStore

/// A position in a table. Used by one thread at a time, within its transaction.
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

    /// Returns the record of an integer key.
    @inline(__always) func find(_ key: Int64) throws(StoreError) -> Record? {
        number.pointee = key
        return try move(MDB_SET_KEY, MDB_val(mv_size: 8, mv_data: number))
    }

    /// Returns the first record whose key is not before `key`.
    func seek(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Record? {
        try move(MDB_SET_RANGE, MDB_val(key))
    }

    /// Returns the first record whose integer key is not before `key`.
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

    /// Creates a record of an integer key and returns the memory for its bytes, which must be
    /// written immediately.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - key: The key.
    ///   - appends: Whether the key follows all others, which saves the search.
    ///   - overwrites: Whether the key may be in use.
    /// - Returns: Nil if the key is in use and must not be.
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

    /// Inserts the value of a key.
    ///
    /// - Returns: Whether the key was unused; otherwise nothing is written.
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

    /// Removes the record at the cursor; ``next()`` then returns the following one.
    func removeCurrent() throws(StoreError) {
        let result = mdb_cursor_del(handle, 0)
        if result != 0 { throw transaction.error(result, "write to") }
    }
}
