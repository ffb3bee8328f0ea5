import CBenchmarkPostgres

/// The rows of quakes in the tables of a store, read and written by libpq.
@MainActor
final class RawQuakes {
    let connection: RawConnection
    private let schema: String
    private let key = RawParameters(1)
    private let none = RawParameters(0)
    private static let columns =
        "t0.id, t0.entity, t0.version, t0.code, t0.depth, t0.felt, t0.is_reviewed, "
        + "t0.magnitude, t0.place, t0.region, t0.time"

    init(_ server: String, schema: String) throws {
        connection = try RawConnection(server)
        self.schema = schema
        // Nothing in the way of the store's own work while it is measured.
        try connection.run("VACUUM (ANALYZE) \(schema).quake")
        try connection.prepare(
            "row", "SELECT \(Self.columns) FROM \(schema).quake AS t0 WHERE t0.id = $1::bigint")
        try connection.prepare(
            "all", "SELECT \(Self.columns) FROM \(schema).quake AS t0 ORDER BY t0.id")
        try connection.prepare(
            "groups",
            "SELECT COUNT(*), t0.is_reviewed, COUNT(*) FROM \(schema).quake AS t0 "
                + "GROUP BY t0.is_reviewed")
        try connection.prepare("begin", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try connection.prepare("commit", "COMMIT")
        try connection.prepare(
            "state",
            "SELECT s.layout, n.number, n.stamp FROM \(schema).store AS s, (SELECT number, stamp "
                + "FROM \(schema).saves ORDER BY number DESC LIMIT 1) AS n")
    }

    func close() { connection.close() }

    /// The keys of all rows.
    func keys() throws -> [Int64] {
        try connection.texts("SELECT id FROM \(schema).quake ORDER BY id").compactMap { Int64($0) }
    }

    /// Reads a row by its key.
    func read(_ number: Int64, _ checksum: inout Checksum) throws {
        key.set(0, number)
        let result = try connection.execute("row", key)
        add(result, 0, &checksum)
        PQclear(result)
    }

    /// Reads a row by its key in a state of its own, with the statements of the store: one round
    /// trip for the state, and one for the row.
    func readInState(_ number: Int64, _ checksum: inout Checksum) throws {
        try connection.pipeline([("begin", none), ("state", none)])
        try read(number, &checksum)
        try connection.execute("commit")
    }

    /// Reads all rows as one result.
    func walk(makingTexts: Bool) throws -> Checksum {
        var checksum = Checksum()
        let result = try connection.execute("all", none)
        for row in 0..<PQntuples(result) {
            if makingTexts { addTexts(result, row, &checksum) } else { add(result, row, &checksum) }
        }
        PQclear(result)
        return checksum
    }

    /// Reads all rows from a cursor.
    func walkCursor() throws -> Checksum {
        var checksum = Checksum()
        try connection.execute("begin")
        try connection.run(
            "DECLARE walk NO SCROLL CURSOR FOR SELECT \(Self.columns) FROM \(schema).quake AS t0 "
                + "ORDER BY t0.id")
        while true {
            guard
                let result = PQexecParams(
                    connection.handle, "FETCH 512 FROM walk", 0, nil, nil, nil, nil, 1)
            else { break }
            defer { PQclear(result) }
            let count = PQntuples(result)
            for row in 0..<count { add(result, row, &checksum) }
            if count < 512 { break }
        }
        try connection.execute("commit")
        return checksum
    }

    /// Counts the rows of two groups.
    func groups() throws -> Int {
        let result = try connection.execute("groups", none)
        defer { PQclear(result) }
        return (0..<PQntuples(result)).reduce(0) { $0 + Int(integer(result, $1, 2) as Int64) }
    }

    // MARK: - Values

    @inline(__always)
    private func add(_ result: OpaquePointer, _ row: Int32, _ checksum: inout Checksum) {
        checksum.add(
            code: Int(PQgetlength(result, row, 3)), place: Int(PQgetlength(result, row, 8)),
            magnitude: double(result, row, 7), time: double(result, row, 10),
            depth: double(result, row, 4),
            felt: PQgetisnull(result, row, 5) != 0 ? nil : integer(result, row, 5),
            isReviewed: PQgetvalue(result, row, 6)[0] != 0, region: integer(result, row, 9))
    }

    @inline(__always)
    private func addTexts(_ result: OpaquePointer, _ row: Int32, _ checksum: inout Checksum) {
        checksum.add(
            code: text(result, row, 3).utf8.count, place: text(result, row, 8).utf8.count,
            magnitude: double(result, row, 7), time: double(result, row, 10),
            depth: double(result, row, 4),
            felt: PQgetisnull(result, row, 5) != 0 ? nil : integer(result, row, 5),
            isReviewed: PQgetvalue(result, row, 6)[0] != 0, region: integer(result, row, 9))
    }

    @inline(__always)
    private func integer(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> Int64 {
        Int64(
            bigEndian: UnsafeRawPointer(PQgetvalue(result, row, column))
                .loadUnaligned(as: Int64.self))
    }

    @inline(__always)
    private func double(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> Double {
        Double(bitPattern: UInt64(bitPattern: integer(result, row, column)))
    }

    @inline(__always)
    private func text(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> String {
        String(
            decoding: UnsafeRawBufferPointer(
                start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column))
            ),
            as: UTF8.self)
    }
}
