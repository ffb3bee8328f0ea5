import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

extension StoreWriter {
    /// Migrates the store to another version of its model, in one transaction.
    func migrate(_ work: MigrationWork) throws(StoreError) {
        if EngineVersion.loaded.number < 3_035_000 {
            throw StoreError(
                .unsupported,
                "SQLite \(EngineVersion.loaded.name) cannot take columns away; migrating needs 3.35 or later."
            )
        }
        try withWriter { (source, writer) throws(StoreError) in
            // The data to undo a statement may be as large as the file. Small files need no
            // temporary folder.
            if core.place.byteCount > Self.largestInMemory {
                try source.connection.execute("PRAGMA temp_store=FILE")
            }
            defer { try? source.connection.execute("PRAGMA temp_store=MEMORY") }
            try transaction(source) { () throws(StoreError) in
                // Statements must not keep the old tables in use.
                source.connection.endAllRuns()
                try source.connection.stopping(on: work.cancellation) { () throws(StoreError) in
                    try perform(work, source)
                }
                // A commit cannot be cancelled.
                try work.note(.indexes, 1)
            }
        }
    }

    private func perform(
        _ work: MigrationWork, _ old: RowSource
    ) throws(StoreError) {
        let (change, connection) = (work.change, old.connection)
        try core.checksums?.checkAll(connection)
        let outcome = try SchemaMigration(source: old, work: work).run()
        let (schema, links) = (outcome.schema, outcome.links)
        try MetadataTable(connection: connection).migrate(
            to: change.target, core.appleVersionHashes)
        let migrated = StoreCore(migrating: core, to: schema)
        let source = RowSource(connection: connection, core: migrated)
        let writer = try ChangeWriter(source: source)
        var heading = ChangeSet()
        heading.author = MigrationWork.historyAuthor
        let number = try writer.beginSave(heading)
        let handle = schema.store
        try links.forEachUpdate(in: handle) { (ids) throws(StoreError) in
            try source.rows(for: ids)
        } write: { (updates) throws(StoreError) in
            try write(updates, to: schema, writer, number: number)
        }
        try compute(change, source, writer, number: number)
        try writer.history?.end()
        try MigrationTable(connection: connection).add(
            change, of: core.schema, at: core.settings.clock.date(), save: number)
        try outcome.verification.checkRows(links, in: handle) { (id) throws(StoreError) in
            try source.row(for: id)
        }
        // Checks the tables and columns that opening the store will need.
        _ = try SchemaCheck(connection: connection, model: change.target).schema()
        if let checksums {
            checksums.forget()
            try ChecksumTable(connection: connection).rewrite(schema)
        }
    }

    private static let largestInMemory = 32 << 20

    /// Recomputes derived attributes.
    private func compute(
        _ change: SchemaChange, _ source: RowSource, _ writer: ChangeWriter, number: Int64
    ) throws(StoreError) {
        guard let derived = source.core.derived else { return }
        let schema = source.core.schema
        for rows in change.rows.compactMap(\.self) where rows.computesValues {
            let reading = try source.connection.prepare(
                "SELECT Z_PK FROM \(schema.table(of: rows.entity)) "
                    + "WHERE Z_PK > ? AND Z_ENT = \(schema.number(of: rows.entity)) ORDER BY Z_PK LIMIT 256"
            )
            let handle = change.target[rows.entity].handle
            var last = Int64.min
            while true {
                reading.bind(last, at: 1)
                var ids: [ManagedObjectID] = []
                try source.connection.forEachRow(of: reading) { row in
                    ids.append(
                        ManagedObjectID(store: schema.store, entity: handle, key: row.integer(0)))
                }
                guard let end = ids.last else { break }
                last = end.key
                try write(
                    try derived.recomputed(try source.rows(for: ids), from: source), to: schema,
                    writer, number: number)
            }
        }
    }

    private func write(
        _ updates: [RowUpdate], to schema: AppleSchema, _ writer: ChangeWriter, number: Int64
    ) throws(StoreError) {
        if updates.isEmpty { return }
        var part = ChangeSet(updates: updates)
        part.keepsDerivedValues = true
        let largeValues = try LargeValues(
            of: part, slots: schema.externalSlots,
            largerThan: core.settings.largestInlineValueBytes,
            in: schema.model)
        do throws(WriteStop) {
            try writer.write(
                part, largeValues, order: ChangeOrder(part, schema: schema), number: number,
                clearsUnique: false)
        } catch {
            if case .failure(let error) = error { throw error }
            throw StoreError.valuesWouldBeShared(core.path)
        }
    }
}
