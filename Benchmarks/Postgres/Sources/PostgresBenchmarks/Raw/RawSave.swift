import Foundation

/// A save of some quakes' magnitudes by libpq, with the statements of the store.
@MainActor
final class RawSave {
    private let connection: RawConnection
    private let keys: [Int64]
    private var versions: [Int64]
    private var stamp: Int64
    private let state = RawParameters(2)
    private let lock = RawParameters(1)
    private let update = RawParameters(6)
    private let number = RawParameters(8)
    private let none = RawParameters(0)

    /// - Parameters:
    ///   - connection: A connection of its own.
    ///   - schema: The schema of the store.
    ///   - keys: The keys of the quakes.
    ///   - stamp: The first stamp, which nobody else uses.
    init(_ connection: RawConnection, schema: String, keys: [Int64], stamp: Int64) throws {
        self.connection = connection
        self.keys = keys
        self.stamp = stamp
        versions = []
        for key in keys {
            let texts = try connection.texts(
                "SELECT version FROM \(schema).quake WHERE id = \(key)")
            versions += texts.compactMap { Int64($0) }
        }
        let entity = try connection.texts("SELECT min(entity) FROM \(schema).quake")
        let layout = try connection.texts("SELECT layout FROM \(schema).store")
        state.set(0, layout.first.flatMap { Int64($0) } ?? 0)
        state.set(1, 0 as UInt8)
        lock.set(0, array: keys)
        update.set(0, entity.first.flatMap { Int32($0) } ?? 0)
        update.set(2, Int64(keys.count))
        update.set(3, array: keys)
        try prepare(schema)
    }

    private func prepare(_ schema: String) throws {
        let statements = [
            ("s.begin", "BEGIN ISOLATION LEVEL REPEATABLE READ"),
            ("s.gate", "LOCK TABLE \(schema).gate IN SHARE MODE"),
            (
                "s.state",
                "SELECT 1 / (layout = $1::bigint AND (history_from IS NOT NULL) = $2::boolean)"
                    + "::integer FROM \(schema).store"
            ),
            (
                "s.lock",
                "SELECT 1 FROM \(schema).quake WHERE id = ANY($1::bigint[]) ORDER BY id "
                    + "FOR NO KEY UPDATE"
            ),
            (
                "s.update",
                "WITH n AS (UPDATE \(schema).quake AS t SET version = $2::bigint, "
                    + "magnitude = a.c0 FROM unnest($4::bigint[], $5::bigint[], "
                    + "$6::double precision[]) AS a(k, b, c0) WHERE t.id = a.k "
                    + "AND t.version = a.b AND t.entity = $1::integer RETURNING 1) "
                    + "SELECT 1 / (count(*) = $3::bigint)::integer FROM n"
            ),
            ("s.turn", "LOCK TABLE \(schema).turn IN EXCLUSIVE MODE"),
            (
                "s.number",
                "WITH s AS (INSERT INTO \(schema).saves (number, stamp, at, program, process, "
                    + "context, author, first_change, changes) SELECT "
                    + "nextval('\(schema).order_numbers'), $1::bigint, $2::double precision, "
                    + "$3::text, $4::text, $5::text, $6::text, CASE WHEN $7::integer > 0 THEN "
                    + "setval('\(schema).change_numbers', nextval('\(schema).change_numbers') "
                    + "+ $7::integer - 1) - $7::integer + 1 END, $7::integer RETURNING number) "
                    + "INSERT INTO \(schema).identifiers SELECT $8::uuid, number FROM s "
                    + "RETURNING number"
            ),
            ("s.commit", "COMMIT"),
        ]
        for (name, sql) in statements { try connection.prepare(name, sql) }
    }

    /// Saves once.
    func save() throws {
        stamp += 1
        let magnitudes = keys.map { Double((stamp &+ $0) % 10) }
        update.set(1, stamp)
        update.set(4, array: versions)
        update.set(
            5, array: magnitudes.map { Int64(bitPattern: $0.bitPattern) }, element: RawType.double)
        number.set(0, stamp)
        number.set(1, Date().timeIntervalSinceReferenceDate)
        number.set(7, withUnsafeBytes(of: UUID().uuid) { Array($0) })
        try connection.pipeline([
            ("s.begin", none), ("s.gate", none), ("s.state", state), ("s.lock", lock),
            ("s.update", update), ("s.turn", none), ("s.number", number), ("s.commit", none),
        ])
        versions = keys.map { _ in stamp }
    }
}
