import DuramenModel
import DuramenStore

/// Counts objects and reads a few of them, to compare a file before and after a migration.
struct MigrationSampling {
    private let source: RowSource

    init(_ source: RowSource) { self.source = source }

    /// Calls `body` with the number of objects of each entity.
    ///
    /// - Complexity: A pass over each table, or over its smallest index if it has one entity.
    func count(
        _ tables: [TableMap], of schema: AppleSchema,
        _ body: (Int, EntityID) throws(StoreError) -> Void
    ) throws(StoreError) {
        for table in tables {
            var counts: [Int64: Int] = [:]
            if table.entities.count == 1, schema.isOwnFile {
                let count = try source.connection.integer("SELECT count(*) FROM \(table.quoted)")
                counts[schema.number(of: table.entities[0])] = Int(count ?? 0)
            } else {
                let statement = try source.connection.prepare(
                    "SELECT Z_ENT, count(*) FROM \(table.quoted) GROUP BY Z_ENT")
                try source.connection.forEachRow(of: statement) { row in
                    counts[row.integer(0)] = Int(row.integer(1))
                }
            }
            for entity in table.entities {
                try body(counts[schema.number(of: entity)] ?? 0, entity)
            }
        }
    }

    /// Calls `body` with sample rows from the whole range of keys of each table.
    func forEachRow(
        where isWanted: (EntityID) -> Bool, _ body: (Row) -> Void
    ) throws(StoreError) {
        let schema = source.core.schema
        for table in schema.tables {
            let last = try source.connection.integer("SELECT max(Z_PK) FROM \(table.quoted)")
            guard let last, last > 0 else { continue }
            let statement = try source.connection.prepare(
                "SELECT Z_PK, Z_ENT FROM \(table.quoted) WHERE Z_PK >= ? ORDER BY Z_PK LIMIT 1")
            var found: [Int64: Int64] = [:]
            for place in MigrationVerification.places(upTo: last) {
                statement.bind(place, at: 1)
                try source.connection.forEachRow(of: statement) { row in
                    found[row.integer(0)] = row.integer(1)
                }
            }
            for (key, number) in found {
                guard let entity = schema.entity(number: number), isWanted(entity) else { continue }
                let id = ManagedObjectID(
                    store: schema.store, entity: schema.model[entity].handle, key: key)
                if let row = try source.row(for: id) { body(row) }
            }
        }
    }
}
