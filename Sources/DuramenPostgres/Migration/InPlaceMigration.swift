import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

/// Changes the tables of a store where they are, within a transaction.
struct InPlaceMigration {
    private let change: InPlaceChange
    private let migration: SchemaMigration
    private let reading: RowReading

    private var old: StoreCore { migration.old }
    private var schema: PostgresSchema { change.schema }
    private var work: MigrationWork { migration.work }

    /// The engine counts the columns that were dropped, too, and allows 1,600.
    private static let mostColumns = 1_500

    init(change: InPlaceChange, of migration: SchemaMigration, _ reading: RowReading) {
        self.change = change
        self.migration = migration
        self.reading = reading
    }

    /// Whether the tables have room for the new columns.
    func hasRoom() throws(StoreError) -> Bool {
        for (table, columns) in change.added {
            let found = try reading.runText(
                "SELECT max(attnum)::bigint FROM pg_attribute WHERE attrelid = $1::text::regclass",
                [.text(table.quoted)])
            if Int(found.int64(0, 0) ?? 0) + columns.count > Self.mostColumns { return false }
        }
        return true
    }

    func run(_ about: StoredAbout, _ stamp: Int64) throws(StoreError) {
        let new = migration.core(of: schema)
        try work.note(.rows)
        try SchemaExchange(reading.connection, migration.location).waitForReaders()
        try drop()
        for (table, columns) in change.added {
            for column in columns { try add(column, to: table, new) }
        }
        try reading.runTexts(
            SchemaStatements(schema: schema).modelTables {
                change.addedTables.contains(StoredText($0))
            })
        try work.note(.indexes)
        try changeIndexes()
        try record(new)
        let number = try migration.number(new, reading, about, stamp)
        try migration.keepRecord(new, reading, number)
        let catalog = Catalog(reading.connection, migration.location, hasDeadline: false)
        try SchemaRights(catalog, in: schema.name, for: change.addedTables).copy()
        if work.cancellation.isCancelled { try work.note(.indexes) }
    }

    // MARK: - Tables

    private func drop() throws(StoreError) {
        var texts = change.droppedTables.map { "DROP TABLE \($0)" }
        texts += change.dropped.map { table, columns in
            let drops = columns.map { "DROP COLUMN \($0.quoted)" }
            return "ALTER TABLE \(table.quoted) \(drops.joined(separator: ", "))"
        }
        try reading.runTexts(texts)
        if !change.droppedConstraints.isEmpty {
            _ = try reading.runText(
                "DELETE FROM \(schema.own(.claims)) WHERE cons = ANY($1::bigint[])",
                [.bigints(change.droppedConstraints.map(Int64.init))])
        }
    }

    /// Adds a column. A default of the engine gives all rows a value without writing them.
    private func add(
        _ added: InPlaceChange.AddedColumn, to table: TableMap, _ new: StoreCore
    ) throws(StoreError) {
        let (table, column) = (table.quoted, added.column.quoted)
        let addition = "ALTER TABLE \(table) ADD COLUMN \(column) \(added.column.definition)"
        guard let constant = added.constant else {
            _ = try reading.runText(addition)
            return
        }
        let literal = try literal(constant, for: added.column, new)
        if constant.isForAllRows {
            try reading.runTexts([
                "\(addition) DEFAULT \(literal)",
                "ALTER TABLE \(table) ALTER COLUMN \(column) DROP DEFAULT",
            ])
        } else {
            let numbers = constant.entities.map { String(schema.number(of: $0)) }.joined(
                separator: ", ")
            try reading.runTexts([
                addition, "UPDATE \(table) SET \(column) = \(literal) WHERE entity IN (\(numbers))",
            ])
        }
    }

    /// A value as the server writes it in a statement.
    private func literal(
        _ constant: KeptColumns.Constant, for column: ColumnMap, _ new: StoreCore
    ) throws(StoreError) -> String {
        let entity = constant.entities[0]
        let layout = new.model[entity].layout
        guard
            let step = new.writePlans[entity.index].steps.first(where: {
                $0.column == column.quoted
            })
        else { throw old.damagedState }
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entity, slotCount: layout.slotCount, key: 1, version: RowVersion(rawValue: 0))
        builder.set(constant.value, at: step.slot, as: step.kind)
        builder.endRow()
        var arrays = ColumnArrays([step], new)
        for row in builder.finish() { try arrays.add(row) }
        let found = try reading.runText(
            "SELECT quote_literal(($1::\(step.type.array.name))[1]::text)", arrays.finish())
        guard let text = found.text(0, 0) else { throw old.damagedState }
        return "\(text)::\(step.type.name)"
    }

    private func changeIndexes() throws(StoreError) {
        let names = Set(schema.indexes.map { StoredText($0.name) })
        var texts = old.schema.indexes.filter { !names.contains(StoredText($0.name)) }.map {
            "DROP INDEX IF EXISTS \(schema.quotedName).\(SQLQuoting.identifier($0.name))"
        }
        texts += schema.indexes.map {
            "CREATE INDEX IF NOT EXISTS \(SQLQuoting.identifier($0.name)) \($0.target)"
        }
        try reading.runTexts(texts)
    }

    // MARK: - Names

    private func record(_ new: StoreCore) throws(StoreError) {
        let keys = schema.own(.keys)
        let roots = schema.tables.map { schema.number(of: $0.root) }
        let list = roots.map(String.init).joined(separator: ", ")
        var texts = [
            "DELETE FROM \(schema.own(.columns))", "DELETE FROM \(schema.own(.constraints))",
            // The history has the numbers of those that go.
            "UPDATE \(schema.own(.entities)) SET tbl = ''",
            "DELETE FROM \(schema.own(.entities)) WHERE number IN ("
                + schema.model.entities.map { String(schema.number(of: $0.id)) }
                .joined(separator: ", ") + ")",
        ]
        texts += SchemaStatements(schema: schema).names
        // No hierarchy gives out a key again, wherever its objects come from; a removed entity may
        // come back.
        if change.dropsObjects {
            texts.append(
                "UPDATE \(keys) SET next = (SELECT max(next) FROM \(keys) WHERE root <> 0) "
                    + "WHERE root <> 0")
        }
        texts += roots.map {
            "INSERT INTO \(keys) SELECT \($0), COALESCE(max(next), 1) FROM \(keys) "
                + "WHERE root <> 0 ON CONFLICT DO NOTHING"
        }
        texts.append("DELETE FROM \(keys) WHERE root NOT IN (0, \(list))")
        try reading.runTexts(texts)
        let about = try StoredAbout.parameters(of: new.model)
        _ = try reading.runText(
            "UPDATE \(schema.own(.store)) SET layout = $1::bigint, checksum = $2::text, "
                + "hashes = $3::bytea, versions = $4::bytea",
            [.bigint(new.layout)] + about)
    }
}
