import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Foundation

/// Migrates a store to another version of its model: in place, if no row has to be written for it,
/// and otherwise by a second schema.
///
/// ```
///   gate alone ──► second schema, filled row by row ──► it takes the first's name ──► commit
/// ```
/// All of it is one transaction: until its end others read the store as it was, and afterwards they
/// find tables of another form.
struct SchemaMigration {
    let writer: StoreWriter
    let store: PostgresStore
    let work: MigrationWork
    let location: StoreLocation

    var old: StoreCore { writer.core }
    var change: SchemaChange { work.change }

    func run() throws(StoreError) {
        try writer.alone { (reading) throws(StoreError) in
            let about = try StoredAbout(reading.run(old.statements.metadata.about, []), old.place)
            guard about.checksum == change.source.versionChecksum else {
                throw StoreError.storeMigrated(old.place)
            }
            try work.begin()
            let stamp = try writer.batchStamp()
            let entities = try Catalog(reading.connection, location).knownNames().entities
            if let inPlace = InPlaceChange(change, from: old.schema, entities) {
                let migration = InPlaceMigration(change: inPlace, of: self, reading)
                if try migration.hasRoom() { return try migration.run(about, stamp) }
            }
            let new = try makeSchema(reading, entities)
            try copyOwnTables(reading, to: new)
            try fill(new, reading, stamp)
            try makeIndexes(new, reading)
            try compute(new, reading, stamp)
            let number = try finish(new, reading, about, stamp)
            try keepRecord(new, reading, number)
            if work.cancellation.isCancelled { try work.note(.indexes) }
            try SchemaExchange(reading.connection, location).replace(with: new.schema.name)
        }
    }

    // MARK: - The second schema

    private func makeSchema(
        _ reading: RowReading, _ entities: [StoredText: Int32]
    ) throws(StoreError) -> StoreCore {
        var known = KnownNames()
        // An entity keeps its number as long as it keeps its name: the history has the numbers.
        known.entities = entities
        let core = core(
            of: PostgresSchema(
                name: "duramen \(UUID())", model: change.target, store: old.schema.store,
                known: known))
        let schema = core.schema
        let statements = SchemaStatements(schema: schema)
        try reading.runTexts(statements.tables + statements.numbering)
        return core
    }

    /// The store after the migration.
    func core(of schema: PostgresSchema) -> StoreCore {
        StoreCore(
            schema: schema, name: old.name, settings: old.settings,
            layout: Int64.random(in: 1...Int64.max), counters: old.counters)
    }

    private func makeIndexes(_ new: StoreCore, _ reading: RowReading) throws(StoreError) {
        try work.note(.indexes)
        try reading.runTexts(SchemaStatements(schema: new.schema).indexes)
    }

    /// Copies what does not depend on the model.
    private func copyOwnTables(
        _ reading: RowReading, to new: StoreCore
    ) throws(StoreError) {
        for table in [
            OwnTable.metadata, .identifiers, .saves, .changes, .consumers, .models, .epochs,
        ] {
            _ = try reading.runText(
                "INSERT INTO \(new.schema.own(table)) SELECT * FROM \(old.schema.own(table))")
        }
        for sequence in OwnSequence.allCases {
            let (from, to) = (old.schema.own(sequence), new.schema.own(sequence))
            _ = try reading.runText(
                "SELECT setval(\(SQLQuoting.literal(to)), last_value, is_called) FROM \(from)")
        }
        let keys = (old.schema.own(.keys), new.schema.own(.keys))
        // No hierarchy gives out a key again, wherever its objects come from.
        _ = try reading.runText(
            "UPDATE \(keys.1) SET next = (SELECT max(next) FROM \(keys.0) WHERE root <> 0) "
                + "WHERE EXISTS (SELECT 1 FROM \(keys.0) WHERE root <> 0)")
        _ = try reading.runText(
            "INSERT INTO \(keys.1) SELECT root, next FROM \(keys.0) WHERE root = 0")
        _ = try reading.runText(
            "INSERT INTO \(new.schema.own(.entities)) SELECT number, name, super, '' "
                + "FROM \(old.schema.own(.entities)) ON CONFLICT DO NOTHING")
    }

    /// Writes the objects and pairs under the new model.
    private func fill(
        _ new: StoreCore, _ reading: RowReading, _ stamp: Int64
    ) throws(StoreError) {
        let contents = MigratedContents(
            work, of: try store.snapshot(), in: store, path: old.place)
        try contents.forEachPart(for: new.schema.store) { (part) throws(StoreError) in
            try write(part, new, reading, stamp)
        }
    }

    private func write(
        _ part: ChangeSet, _ new: StoreCore, _ reading: RowReading, _ stamp: Int64
    ) throws(StoreError) {
        var pipeline = ChangePipeline(new, stamp: stamp)
        pipeline.add(Statement.savepoint, as: .control)
        try pipeline.write(part)
        pipeline.add(Statement.releaseSavepoint, as: .control)
        if let failure = try reading.failure(of: pipeline.pipeline) {
            guard failure.sqlState == "23505", pipeline.role(of: failure) == .claim else {
                throw new.error(failure, "migrate")
            }
            _ = try reading.run(Statement.rollBackToSavepoint, [])
            let found = try ConflictCollector(part, reading.reading(new)).conflicts()
            for case .uniqueness(let conflict) in found {
                throw change.target.sharedValues(conflict.constraint, in: old.place)
            }
            throw new.error(failure, "migrate")
        }
    }

    // MARK: - Derived attributes

    private static let rowsPerPage = 500

    /// Gives derived attributes their values, once all objects exist.
    private func compute(
        _ new: StoreCore, _ reading: RowReading, _ stamp: Int64
    ) throws(StoreError) {
        guard let derived = new.derived else { return }
        let there = reading.reading(new)
        let computed = Set(change.rows.compactMap { $0 }.filter(\.computesValues).map(\.entity))
        for entity in computed.sorted() {
            let table = new.schema.table(of: entity)
            let found = try there.runText(
                "SELECT id FROM \(table) WHERE entity = \(new.schema.number(of: entity)) ORDER BY id"
            )
            let ids = (0..<found.rowCount).compactMap { row in
                found.int64(row, 0).map {
                    ManagedObjectID(
                        store: new.schema.store, entity: new.model[entity].handle, key: $0)
                }
            }
            for start in stride(from: 0, to: ids.count, by: Self.rowsPerPage) {
                let page = Array(ids[start..<min(start + Self.rowsPerPage, ids.count)])
                var changes = ChangeSet(
                    updates: try derived.recomputed(there.rows(for: page), from: there))
                changes.keepsDerivedValues = true
                if !changes.updates.isEmpty { try write(changes, new, there, stamp) }
            }
        }
    }

    // MARK: - The end

    /// Numbers the migration as a save.
    private func finish(
        _ new: StoreCore, _ reading: RowReading, _ about: StoredAbout, _ stamp: Int64
    ) throws(StoreError) -> Int64 {
        let there = reading.reading(new)
        let parameters = try StoredAbout.parameters(of: change.target)
        _ = try there.runText(
            "INSERT INTO \(new.schema.own(.store)) VALUES (true, $1::integer, $2::uuid, $3::bigint, "
                + "$4::text, $5::bytea, $6::bytea, $7::bigint)",
            [
                .integer(StoredAbout.formatVersion), .uuid(about.uuid), .bigint(new.layout),
            ] + parameters
                + [about.historyFrom.map { .bigint($0) } ?? .null(.bigint)])
        return try number(new, there, about, stamp)
    }

    /// Gives the migration the next number, as a save.
    func number(
        _ new: StoreCore, _ reading: RowReading, _ about: StoredAbout, _ stamp: Int64
    ) throws(StoreError) -> Int64 {
        var pipeline = ChangePipeline(new, stamp: stamp)
        pipeline.number(
            ChangeSet(author: MigrationWork.historyAuthor), new,
            changeCount: about.historyFrom == nil ? nil : 0)
        guard let number = try reading.run(pipeline.pipeline).last?.int64(0, 0) else {
            throw new.damagedState
        }
        return number
    }

    /// Keeps the model, and what the history has to know of the change.
    func keepRecord(
        _ new: StoreCore, _ reading: RowReading, _ number: Int64
    ) throws(StoreError) {
        let record = StoreMigrationRecord(
            change, date: old.settings.clock.date(), save: number)
        let there = reading.reading(new)
        _ = try there.runText(
            "INSERT INTO \(new.schema.own(.epochs)) SELECT count(*) + 1, $1::bytea "
                + "FROM \(new.schema.own(.epochs))",
            [.bytea(try StoredJSON.bytes(of: record))])
        _ = try there.runText(
            "INSERT INTO \(new.schema.own(.models)) VALUES ($1::text, $2::bytea) "
                + "ON CONFLICT (checksum) DO UPDATE SET archive = EXCLUDED.archive",
            [.text(change.target.versionChecksum), .bytea(change.target.archived())])
    }
}
