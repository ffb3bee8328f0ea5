import DuramenModel
import DuramenStore

/// A change of a model for which no row is written again: columns and tables come and go.
///
/// Properties that stay keep their columns, also under another name. A whole hierarchy of entities
/// may go with its table. A change is not of this kind if it converts values, moves objects to
/// another table, renames an entity, removes an entity whose root stays, computes derived values,
/// or enforces a constraint that was not enforced before. Rows are written only for a default that
/// not all entities of a table have.
struct InPlaceChange {
    /// A new column of a table that stays.
    struct AddedColumn {
        let column: ColumnMap
        /// The value of the rows of some entities; nil for null.
        let constant: KeptColumns.Constant?
    }

    /// The schema of the new model, in the store's schema of the database.
    let schema: PostgresSchema
    /// The columns that go, by their tables.
    private(set) var dropped: [(table: TableMap, columns: [ColumnMap])] = []
    /// The columns that come, by their tables.
    private(set) var added: [(table: TableMap, columns: [AddedColumn])] = []
    /// The tables of objects and of pairs that are new, without quotes.
    let addedTables: Set<StoredText>
    /// The tables of objects and of pairs that go, in quotes.
    let droppedTables: [String]
    /// Whether objects go with their tables.
    let dropsObjects: Bool
    /// The numbers of constraints that go.
    let droppedConstraints: [Int32]

    /// - Parameters:
    ///   - change: The change.
    ///   - old: The store's schema.
    ///   - entities: The numbers of all entities that the store has or had.
    /// - Returns: Nil if rows have to be written.
    init?(_ change: SchemaChange, from old: PostgresSchema, _ entities: [StoredText: Int32]) {
        guard change.links.isEmpty, Self.keepsObjects(change) else { return nil }
        var names = KnownNames()
        names.entities = entities
        // Which slot a column is for does not depend on its name.
        let probe = PostgresSchema(
            name: old.name, model: change.target, store: old.store, known: names)
        guard let tables = KeptTables(change, old, probe),
            let columns = KeptColumns(change, old, probe),
            let pairs = KeptPairs(change, old, probe),
            let constraints = KeptConstraints(change, old)
        else { return nil }
        names.tables = tables.names
        names.columns = columns.names
        names.pairs = pairs.names
        names.constraints = constraints.numbers
        // A late reader must not find another column or table under a name that it knows.
        let goneTables = old.tables.filter { change.targetEntity($0.root) == nil }
        for table in goneTables {
            names.pairs[KnownNames.Place("", table.name, KnownNames.pairPart)] = table.name
        }
        for (index, table) in old.tables.enumerated()
        where change.targetEntity(table.root) != nil {
            let gone = table.columns.indices.filter { !columns.isKept(index, $0) }
            if gone.isEmpty { continue }
            dropped.append((table, gone.map { table.columns[$0] }))
            let root = old.model[table.root].name
            for column in gone {
                names.columns[KnownNames.Place(root, "\(index).\(column)", "")] =
                    table.columns[column].name
            }
        }
        for name in old.pairNames.values {
            names.pairs[KnownNames.Place("", name, KnownNames.pairPart)] = name
        }
        schema = PostgresSchema(
            name: old.name, model: change.target, store: old.store, known: names)
        let before = Set(old.everyTable.map { StoredText($0) })
        addedTables = Set(schema.everyTable.map { StoredText($0) }).subtracting(before)
        let after = Set(schema.pairNames.keys)
        droppedTables =
            goneTables.map(\.quoted)
            + old.pairNames.keys.filter { !after.contains($0) }.map(\.string).sorted()
        dropsObjects = !goneTables.isEmpty
        let numbers = Set(constraints.numbers.values)
        droppedConstraints = old.constraints.values.filter { !numbers.contains($0) }.sorted()
        for (index, table) in schema.tables.enumerated()
        where !addedTables.contains(StoredText(table.name)) {
            let new = table.columns.indices.filter { !columns.isOld(index, $0) }
            if new.isEmpty { continue }
            added.append(
                (
                    table,
                    new.map {
                        AddedColumn(
                            column: table.columns[$0], constant: columns.constant(index, $0))
                    }
                ))
        }
    }

    /// Whether every object stays an object of an entity of that name, or goes with all of its
    /// hierarchy.
    private static func keepsObjects(_ change: SchemaChange) -> Bool {
        let check = MigrationRowCheck(change, path: "")
        return change.source.entities.allSatisfy { entity in
            let hierarchy = change.source[entity.root].family
            if hierarchy.allSatisfy({ change.targetEntity($0) == nil }) { return true }
            guard let rows = change.rows[entity.id.index], !rows.computesValues,
                StoredText(change.target[rows.entity].name) == StoredText(entity.name)
            else { return false }
            return entity.superentity != nil || !check.concerns(entity)
        }
    }
}

/// The tables that have the objects of one hierarchy before and after a change.
private struct KeptTables {
    /// By the name of the new root.
    private(set) var names: [StoredText: String] = [:]

    init?(_ change: SchemaChange, _ old: PostgresSchema, _ new: PostgresSchema) {
        var roots: [EntityID: EntityID] = [:]
        for root in change.roots {
            guard let source = root.source else { continue }
            if !root.keepsTable { return nil }
            roots[source] = root.root
            names[StoredText(new.model[root.root].name)] = old.tableMap(of: source).name
        }
        for entity in change.source.entities {
            guard let target = change.targetEntity(entity.id) else { continue }
            if roots[entity.root] != change.target[target].root { return nil }
        }
    }
}
