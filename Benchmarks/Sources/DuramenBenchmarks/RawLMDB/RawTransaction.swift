import CBenchmarkLMDB

/// The tables of the workload within a transaction of a ``RawEnvironment``.
struct RawTransaction {
    let handle: OpaquePointer
    let quakes: MDB_dbi
    let regions: MDB_dbi
    let key: UnsafeMutablePointer<Int64>

    /// Writes a quake in place of the one with its identifier.
    ///
    /// - Parameter appends: Whether its identifier is above all others, which spares the search.
    @inline(__always)
    func put(_ quake: QuakeValues, appends: Bool) throws {
        key.pointee = quake.id
        var key = MDB_val(mv_size: 8, mv_data: key)
        var value = MDB_val(mv_size: QuakeRecord.byteCount(quake), mv_data: nil)
        let flags = UInt32(MDB_RESERVE) | (appends ? UInt32(MDB_APPEND) : 0)
        try check(mdb_put(handle, quakes, &key, &value, flags))
        QuakeRecord.write(quake, to: value.mv_data)
    }

    /// Writes a region.
    func put(_ region: RegionValues) throws {
        key.pointee = region.id
        var key = MDB_val(mv_size: 8, mv_data: key)
        var name = region.name
        try name.withUTF8 { name in
            var value = MDB_val(
                mv_size: name.count, mv_data: UnsafeMutableRawPointer(mutating: name.baseAddress))
            try check(mdb_put(handle, regions, &key, &value, 0))
        }
    }

    /// The record of a quake, valid until the transaction ends or writes.
    @inline(__always)
    func quake(_ id: Int64) throws -> UnsafeRawPointer {
        UnsafeRawPointer(try value(of: id, in: quakes).mv_data)
    }

    /// The name of a region.
    @inline(__always)
    func regionName(_ id: Int64) throws -> String {
        let value = try value(of: id, in: regions)
        return QuakeRecord.text(value.mv_data, count: value.mv_size)
    }

    @inline(__always)
    private func value(of id: Int64, in table: MDB_dbi) throws -> MDB_val {
        key.pointee = id
        var key = MDB_val(mv_size: 8, mv_data: key)
        var value = MDB_val()
        try check(mdb_get(handle, table, &key, &value))
        return value
    }

    /// Walks over the records of all quakes in the order of their identifiers.
    @inline(__always)
    func forEachQuake(_ body: (_ id: Int64, _ record: UnsafeRawPointer) throws -> Void) throws {
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(handle, quakes, &cursor))
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var value = MDB_val()
        while true {
            let result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            if result == MDB_NOTFOUND { return }
            try check(result)
            try body(key.mv_data.load(as: Int64.self), UnsafeRawPointer(value.mv_data))
        }
    }
}
