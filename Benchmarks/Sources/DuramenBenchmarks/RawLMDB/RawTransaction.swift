import CBenchmarkLMDB

/// The tables of the workload within a transaction of a ``RawEnvironment``.
struct RawTransaction {
    let handle: OpaquePointer
    let quakes: MDB_dbi
    let regions: MDB_dbi

    /// Writes a quake in place of the one with its identifier.
    ///
    /// - Parameter appends: Whether its identifier is above all others, which spares the search.
    @inline(__always)
    func put(_ quake: QuakeValues, appends: Bool) throws {
        let flags = appends ? UInt32(MDB_APPEND) : 0
        let count = QuakeRecord.byteCount(quake)
        QuakeRecord.write(
            quake, to: try reserve(count, for: quake.id, in: quakes, flags))
    }

    /// Writes a region.
    func put(_ region: RegionValues) throws {
        var name = region.name
        try name.withUTF8 { name in
            let place = try reserve(name.count, for: region.id, in: regions, 0)
            UnsafeMutableRawBufferPointer(start: place, count: name.count)
                .copyMemory(from: UnsafeRawBufferPointer(name))
        }
    }

    @inline(__always)
    private func reserve(
        _ count: Int, for id: Int64, in table: MDB_dbi, _ flags: UInt32
    ) throws -> UnsafeMutableRawPointer {
        var place: UnsafeMutableRawPointer?
        try check(benchmark_lmdb_reserve(handle, table, id, count, flags, &place))
        guard let place else { throw RawError(message: "LMDB has no room for a record.") }
        return place
    }

    /// The record of a quake, valid until the transaction ends or writes.
    @inline(__always)
    func quake(_ id: Int64) throws -> UnsafeRawPointer {
        try value(of: id, in: quakes).start
    }

    /// The name of a region.
    @inline(__always)
    func regionName(_ id: Int64) throws -> String {
        let value = try value(of: id, in: regions)
        return QuakeRecord.text(value.start, count: value.count)
    }

    @inline(__always)
    private func value(
        of id: Int64, in table: MDB_dbi
    ) throws -> (start: UnsafeRawPointer, count: Int) {
        var start: UnsafeRawPointer?
        var count = 0
        try check(benchmark_lmdb_get(handle, table, id, &start, &count))
        guard let start else { throw RawError(message: "LMDB gave no record of \(id).") }
        return (start, count)
    }

    /// Walks over the records of all quakes in the order of their identifiers.
    @inline(__always)
    func forEachQuake(_ body: (_ id: Int64, _ record: UnsafeRawPointer) throws -> Void) throws {
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(handle, quakes, &cursor))
        defer { mdb_cursor_close(cursor) }
        var id: Int64 = 0
        var record: UnsafeRawPointer?
        while true {
            let result = benchmark_lmdb_next(cursor, &id, &record)
            if result == MDB_NOTFOUND { return }
            try check(result)
            if let record { try body(id, record) }
        }
    }
}
