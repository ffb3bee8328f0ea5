import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// Migrates a file from one version of a model to another, within the current transaction.
///
/// Names of tables and columns always follow from the file's current model. So everything that
/// changes its role is renamed, which costs nothing, and no list of names is needed.
struct SchemaMigration {
    /// Reads the old rows of the file.
    let source: RowSource
    let work: MigrationWork

    /// The remaining work on a migrated file.
    struct Outcome {
        /// The new schema of the file.
        let schema: AppleSchema
        /// The to-ones to set.
        let links: MigrationLinks
        /// Compares the rows at the end.
        let verification: MigrationVerification
    }

    private var connection: Connection { source.connection }
    private var old: AppleSchema { source.core.schema }
    private var change: SchemaChange { work.change }
    private var target: ManagedObjectModel { change.target }

    /// Runs the migration. The file's metadata are still those of the old model afterwards.
    func run() throws(StoreError) -> Outcome {
        try checkSource()
        try work.begin()
        let new = AppleSchema(
            model: target, store: old.store,
            numbers: try EntityNumbers(connection: connection, change: change, old: old).new())
        let check = MigrationCheck(connection: connection, change: change, old: old)
        try check.run()
        let links = try MigrationLinks(change, path: connection.path) {
            (relationship, note) throws(StoreError) in
            try LinkReading(connection: connection, schema: old).forEachLink(of: relationship, note)
        }
        let tables = TableChanges(SlotExpressions(change: change, old: old, new: new))
        let written = tables.written(by: change)
        let verification = try sample(written.map(\.oldTable))
        try work.note(.rows)
        try bringInExternalValues(new)
        try removeRows()
        try dropIndexes(new)
        try migrateTables(tables, verification)
        try writeEntities(new)
        try execute("UPDATE DURAMEN_DECIMAL SET ZENT = -ZENT WHERE ZENT < 0")
        try ModelTable(connection: connection).keep(target)
        try ModelCacheTable(connection: connection).keep(target)
        try work.note(.indexes)
        try makeIndexes(new)
        try MigrationSampling(source).count(written.map(\.newTable), of: new) {
            (count, entity) throws(StoreError) in try verification.check(count: count, of: entity)
        }
        return Outcome(schema: new, links: links, verification: verification)
    }

    /// Counts and reads the data for the later comparison.
    private func sample(
        _ written: [TableMap]
    ) throws(StoreError) -> MigrationVerification {
        var verification = MigrationVerification(change, path: connection.path)
        let sampling = MigrationSampling(source)
        var counted: Set<String> = []
        try sampling.count(written.filter { counted.insert($0.name).inserted }, of: old) {
            (count, entity) in verification.note(count: count, of: entity)
        }
        let isWanted = verification.concerns
        try sampling.forEachRow(where: isWanted) { verification.note($0) }
        // Statements must not use the tables while they change.
        connection.endAllRuns()
        return verification
    }

    private func execute(_ sql: String) throws(StoreError) { try connection.execute(sql) }

    private func execute(_ statement: BoundStatement) throws(StoreError) {
        let prepared = try connection.prepare(statement.sql)
        prepared.bind(statement.parameters)
        try connection.run(prepared, "migrate")
    }

    /// Throws if another process has already migrated the file.
    private func checkSource() throws(StoreError) {
        let metadata = try MetadataTable(connection: connection).metadata()
        if metadata.modelChecksum == change.source.versionChecksum { return }
        throw StoreError.storeMigrated(connection.path)
    }

    // MARK: - Entities

    private func writeEntities(_ new: AppleSchema) throws(StoreError) {
        var maxima: [Int: Int64] = [:]
        for table in old.tables {
            maxima[table.rootNumber] = try connection.integer(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(table.rootNumber)")
        }
        for number in old.numbers {
            try execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
        }
        let statement = try connection.prepare(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)")
        for entity in target.entities {
            // New keys follow those of the table that the rows were in.
            let sources = entity.family.compactMap { change.sourceEntities[$0.index] }
                .map { maxima[old.tableMap(of: $0).rootNumber] ?? 0 }
            statement.bind(new.number(of: entity.id), at: 1)
            statement.bind(.text(StoredText(entity.name)), at: 2)
            statement.bind(entity.superentity.map { new.number(of: $0) } ?? 0, at: 3)
            statement.bind(entity.superentity == nil ? sources.max() ?? 0 : 0, at: 4)
            try connection.run(statement, "migrate")
        }
    }

    // MARK: - Rows

    /// Deletes the rows of removed entities.
    private func removeRows() throws(StoreError) {
        for table in old.tables {
            let gone = table.entities.filter { change.targetEntity($0) == nil }
                .map { String(old.number(of: $0)) }
            if gone.isEmpty { continue }
            let rows = "FROM \(table.quoted) WHERE Z_ENT IN (\(gone.joined(separator: ", ")))"
            if table.hasDecimals {
                try execute(
                    "DELETE FROM DURAMEN_DECIMAL WHERE ZENT = \(table.rootNumber) "
                        + "AND ZROW IN (SELECT Z_PK \(rows))")
            }
            // A table without remaining rows is dropped instead.
            if gone.count < table.entities.count { try execute("DELETE \(rows)") }
        }
        for side in old.namingSides { try removePairs(side) }
    }

    /// Deletes the pairs of removed objects.
    private func removePairs(_ side: RelationshipID) throws(StoreError) {
        guard let pairs = old.pairs(of: side) else { return }
        let ends = [
            (pairs.ownerColumn, change.source[side].declaringEntity),
            (pairs.destinationColumn, change.source[side].destination),
        ]
        for (column, entity) in ends {
            let family = change.source[entity].family
            let stays = family.filter { change.targetEntity($0) != nil }
            if stays.count == family.count { continue }
            let numbers = stays.map { String(old.number(of: $0)) }.joined(separator: ", ")
            try execute(
                "DELETE FROM \(pairs.table) WHERE \(column) NOT IN (SELECT Z_PK "
                    + "FROM \(old.table(of: entity)) WHERE Z_ENT IN (\(numbers)))")
        }
    }

    /// Moves values from files into their rows, if the attribute does not allow files any more.
    private func bringInExternalValues(_ new: AppleSchema) throws(StoreError) {
        for (place, rows) in change.rows.enumerated() {
            guard let rows else { continue }
            let entity = EntityID(index: place)
            for (slot, source) in rows.sources.enumerated() {
                guard case .slot(let before, _, _) = source,
                    old.isExternal(slot: before, of: entity),
                    !new.isExternal(slot: slot, of: rows.entity)
                else { continue }
                try bringIn(
                    old.column(slot: before, of: entity), old.table(of: entity),
                    number: old.number(of: entity), change.source[entity].name)
            }
        }
    }

    private func bringIn(
        _ column: String, _ table: String, number: Int64, _ entity: String
    ) throws(StoreError) {
        let reading = try connection.prepare(
            "SELECT Z_PK, \(column) FROM \(table) "
                + "WHERE Z_ENT = \(number) AND substr(\(column), 1, 1) = x'02'")
        var files: [(key: Int64, name: UUID?)] = []
        try connection.forEachRow(of: reading) { row in
            if case .file(let name)? = ExternalValue(row.bytes(1)) {
                files.append((row.integer(0), name))
            } else {
                files.append((row.integer(0), nil))
            }
        }
        let writing = try connection.prepare("UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
        for (key, name) in files {
            guard let name, let value = try? source.core.external.folder.value(name) else {
                throw StoreError(
                    .damagedValue,
                    "The file of a value of '\(entity)' with key \(key) is missing, so that '\(connection.path)' "
                        + "cannot be migrated; put it back.")
            }
            writing.bind(
                .bytes(value.withUnsafeBytes { ExternalValue.inline(copying: $0) }), at: 1)
            writing.bind(key, at: 2)
            try connection.run(writing, "migrate")
        }
    }

    // MARK: - Tables

    private func migrateTables(
        _ tables: TableChanges, _ verification: MigrationVerification
    ) throws(StoreError) {
        // Tables with unchanged rows were not counted.
        func rows(_ migration: TableMigration) -> Int {
            migration.newTable.entities.reduce(0) { $0 + verification.count(of: $1) }
        }
        let total = (tables.moved + tables.kept).reduce(0) { $0 + rows($1) }
        var done = 0
        let names = try rename(tables.heirs)
        for table in tables.added { try execute(SchemaStatements.table(table)) }
        for pair in tables.pairs where pair.carried == nil {
            try execute(SchemaStatements.pairs(pair.table))
        }
        for pair in tables.pairs {
            for sql in pair.copyStatements({ names[$0] ?? $0 }) { try execute(sql) }
            for sql in pair.changeStatements { try execute(sql) }
        }
        for migration in tables.moved {
            try execute(SchemaStatements.table(migration.newTable))
            let source = names[migration.oldTable.quoted] ?? migration.oldTable.quoted
            for statement in migration.moveStatements(from: source) { try execute(statement) }
            done += rows(migration)
            try work.note(.rows, rows: done, of: total)
        }
        for migration in tables.kept {
            try dropIndexes(of: migration)
            if !migration.retyped.isEmpty {
                try DeclaredTypes(connection: connection)
                    .change(migration.retyped, of: migration.newTable.name)
            }
            for statement in migration.changeStatements { try execute(statement) }
            done += rows(migration)
            try work.note(.rows, rows: done, of: total)
        }
        for name in names.values where name.hasPrefix("\"DURAMEN_OLD_") {
            try execute("DROP TABLE \(name)")
        }
    }

    /// Renames all old tables to their new names, or to temporary names.
    ///
    /// - Returns: The current name of each old table.
    private func rename(_ heirs: [String: String]) throws(StoreError) -> [String: String] {
        let all =
            old.tables.map(\.quoted) + old.namingSides.compactMap { old.pairs(of: $0)?.table }
        var names: [String: String] = [:]
        var passing: [(from: String, to: String)] = []
        for (place, table) in all.enumerated() {
            let heir = heirs[table]
            if heir == table {
                names[table] = table
                continue
            }
            let temporary = heir == nil ? "\"DURAMEN_OLD_\(place)\"" : "\"DURAMEN_NEW_\(place)\""
            try execute("ALTER TABLE \(table) RENAME TO \(temporary)")
            names[table] = heir ?? temporary
            if let heir { passing.append((temporary, heir)) }
        }
        for (from, to) in passing { try execute("ALTER TABLE \(from) RENAME TO \(to)") }
        return names
    }

    // MARK: - Indexes

    /// Drops the indexes that differ in the new model.
    private func dropIndexes(_ new: AppleSchema) throws(StoreError) {
        let kept = Set(new.indexes.map(\.definition))
        for index in old.indexes where !kept.contains(index.definition) {
            try execute("DROP INDEX IF EXISTS \(index.quoted)")
        }
    }

    /// Drops the indexes over columns that are removed or change their type.
    private func dropIndexes(of table: TableMigration) throws(StoreError) {
        let start = "ON \(table.oldTable.quoted) ("
        for index in old.indexes where index.target.hasPrefix(start) {
            let columns = index.target.dropFirst(start.count - 1)
            let changing = table.dropped.map(\.name) + table.retyped.keys
            if changing.contains(where: { columns.contains(SQLiteDialect().quote($0)) }) {
                try execute("DROP INDEX IF EXISTS \(index.quoted)")
            }
        }
    }

    private func makeIndexes(_ new: AppleSchema) throws(StoreError) {
        for index in new.indexes {
            guard let constraint = index.constraint, change.isNew(constraint) else { continue }
            // The engine finds shared values while it creates the index, with one sort.
            if try !connection.makeUniqueIndex(index.creation) {
                throw target.sharedValues(constraint, in: connection.path)
            }
        }
        for statement in try IndexCheck(connection: connection, schema: new).findings().repairs {
            try execute(statement)
        }
        try checkDecimals(new)
    }

    /// Checks new constraints whose shared values the engine cannot find.
    private func checkDecimals(_ new: AppleSchema) throws(StoreError) {
        for entity in target.entities {
            for constraint in entity.uniquenessConstraints
            where constraint.entity == entity.id && change.isNew(constraint) {
                let kinds = constraint.slots.map { entity.layout.kinds[$0] }
                guard kinds.contains(.decimal) else { continue }
                let columns = zip(constraint.slots, kinds).map { slot, kind in
                    let column = "t." + new.column(slot: slot, of: entity.id)
                    let digits = new.decimalDigits(slot: slot, of: entity.id, alias: "t")
                    return kind == .decimal ? "coalesce(\(digits ?? "NULL"), \(column))" : column
                }
                let isSet = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
                let family = entity.family.map { String(new.number(of: $0)) }
                let query =
                    "SELECT 1 FROM \(new.table(of: entity.id)) AS t "
                    + "WHERE t.Z_ENT IN (\(family.joined(separator: ", "))) AND \(isSet) "
                    + "GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1"
                if try connection.integer(query) != nil {
                    throw target.sharedValues(constraint, in: connection.path)
                }
            }
        }
    }
}
