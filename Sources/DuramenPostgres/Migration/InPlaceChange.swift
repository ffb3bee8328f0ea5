import DuramenModel
import DuramenSQL
import DuramenStore

/// A change of a model for which no row is written again: columns and tables come and go.
///
/// Properties that stay keep their columns, also under another name. A change is not of this kind
/// if it converts values, moves objects to another table, renames or removes an entity, computes
/// derived values, or enforces a constraint that was not enforced before.
struct InPlaceChange {
    /// A new column of a table that stays.
    struct AddedColumn {
        let table: TableMap
        let column: ColumnMap
        /// The value of the rows of some entities, which is not null.
        var value: (value: StoredValue, entities: [EntityID])?
    }

    /// The schema of the new model, in the store's schema of the database.
    let schema: PostgresSchema
    /// The columns that go, with the tables that they are in.
    private(set) var dropped: [(table: TableMap, column: ColumnMap)] = []
    private(set) var added: [AddedColumn] = []
    /// The tables of objects and of pairs that are new, without quotes.
    let addedTables: Set<String>
    /// The tables of pairs that go, in quotes.
    let droppedPairs: [String]
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
        for (index, table) in old.tables.enumerated() {
            let root = old.model[table.root].name
            for column in table.columns.indices where !columns.isKept(table, column) {
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
        addedTables = Set(schema.everyTable.filter { !before.contains(StoredText($0)) })
        let after = Set(schema.pairNames.keys)
        droppedPairs = old.pairNames.keys.filter { !after.contains($0) }.map(\.string).sorted()
        let numbers = Set(constraints.numbers.values)
        droppedConstraints = old.constraints.values.filter { !numbers.contains($0) }.sorted()
        for table in old.tables {
            for column in table.columns.indices where !columns.isKept(table, column) {
                dropped.append((table, table.columns[column]))
            }
        }
        for (index, table) in schema.tables.enumerated()
        where !addedTables.contains(table.name) {
            for (place, column) in table.columns.enumerated()
            where columns.source(index, place) == nil {
                added.append(
                    AddedColumn(
                        table: table, column: column, value: columns.value(index, place)))
            }
        }
    }

    /// Whether every object stays an object of an entity of that name.
    private static func keepsObjects(_ change: SchemaChange) -> Bool {
        let check = MigrationRowCheck(change, path: "")
        return change.source.entities.allSatisfy { entity in
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
            guard let target = change.targetEntity(entity.id),
                roots[entity.root] == change.target[target].root
            else { return nil }
        }
    }
}

/// The columns that have the values of one property before and after a change.
private struct KeptColumns {
    private struct Place: Hashable {
        let table: Int
        let column: Int
    }

    /// The new name of each column that stays, by its property.
    private(set) var names: [KnownNames.Place: String] = [:]
    private var sources: [Place: Place] = [:]
    private var values: [Place: (value: StoredValue, entities: [EntityID])] = [:]
    private let tables: [String: Int]

    init?(_ change: SchemaChange, _ old: PostgresSchema, _ new: PostgresSchema) {
        tables = Dictionary(
            old.tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        var users: [Place: Set<EntityID>] = [:]
        for entity in change.source.entities {
            let map = old.entities[entity.id.index]
            for column in map.columns {
                users[Place(table: map.table, column: column), default: []].insert(entity.id)
            }
        }
        var mapped: [Place: Set<EntityID>] = [:]
        var constants: [Place: [(entity: EntityID, value: StoredValue)]] = [:]
        for entity in change.source.entities {
            guard let rows = change.rows[entity.id.index] else { return nil }
            let (before, after) = (old.entities[entity.id.index], new.entities[rows.entity.index])
            for (slot, source) in rows.sources.enumerated() {
                let place = Place(table: after.table, column: after.columns[slot])
                let from: Int
                switch source {
                case .value(let value):
                    constants[place, default: []].append((entity.id, value))
                    continue
                case .slot(let slot, nil, .null), .order(let slot), .reference(let slot, _, _):
                    from = slot
                case .referenceEntity(_, let slot?, _): from = slot
                case .slot, .referenceEntity, .derived: return nil
                }
                let source = Place(table: before.table, column: before.columns[from])
                guard sources.updateValue(source, forKey: place) ?? source == source,
                    old.tables[source.table].columns[source.column].kind
                        == new.tables[place.table].columns[place.column].kind
                else { return nil }
                mapped[source, default: []].insert(entity.id)
            }
        }
        // A column has the values of one new property, for all entities that had the old one.
        guard Set(sources.values).count == sources.count,
            mapped.allSatisfy({ users[$0.key] == $0.value })
        else { return nil }
        for (place, constants) in constants {
            if let source = sources[place] {
                // The others have null there, as they have nothing else.
                let isNull = constants.allSatisfy {
                    $0.value.isNull && users[source]?.contains($0.entity) != true
                }
                if !isNull { return nil }
            } else if let value = constants.first?.value, !value.isNull {
                guard constants.allSatisfy({ $0.value == value }) else { return nil }
                values[place] = (value, constants.compactMap { change.targetEntity($0.entity) })
            } else if constants.contains(where: { !$0.value.isNull }) {
                return nil
            }
        }
        for (place, source) in sources {
            let column = new.tables[place.table].columns[place.column]
            let name = KnownNames.Place(
                new.model[column.entity].name, column.property, column.part.rawValue)
            names[name] = old.tables[source.table].columns[source.column].name
        }
    }

    /// Whether a column of an old table stays.
    func isKept(_ table: TableMap, _ column: Int) -> Bool {
        guard let index = tables[table.name] else { return false }
        return sources.values.contains(Place(table: index, column: column))
    }

    /// The index of the old column that a new one is; nil for an added column.
    func source(_ table: Int, _ column: Int) -> Int? {
        sources[Place(table: table, column: column)]?.column
    }

    /// The value of an added column that is not null, and the new entities whose rows have it.
    func value(_ table: Int, _ column: Int) -> (value: StoredValue, entities: [EntityID])? {
        values[Place(table: table, column: column)]
    }
}

/// The tables that have the pairs of one many-to-many before and after a change.
private struct KeptPairs {
    /// By the side that a table is named after.
    private(set) var names: [KnownNames.Place: String] = [:]

    init?(_ change: SchemaChange, _ old: PostgresSchema, _ new: PostgresSchema) {
        let named = Set(old.pairSides)
        for relationship in change.target.relationships {
            guard case .manyToMany = relationship.storage,
                let before = change.sourceRelationships[relationship.id.index].first
            else { continue }
            let inverse = change.target[relationship.inverse]
            guard change.sourceRelationships[relationship.id.index] == [before],
                change.sourceRelationships[inverse.id.index] == [change.source[before].inverse],
                let pairs = old.pairs(of: before),
                pairs.isReflexive == relationship.isSelfInverse,
                change.source[before].isOrdered == relationship.isOrdered
            else { return nil }
            guard named.contains(before), let name = old.pairNames[StoredText(pairs.table)] else {
                continue
            }
            names[
                KnownNames.Place(
                    change.target[relationship.declaringEntity].name, relationship.name,
                    KnownNames.pairPart)] = name
        }
        // One table is the table of one many-to-many.
        if Set(names.values.map { StoredText($0) }).count != names.count { return nil }
    }
}

/// The constraints that are enforced before and after a change.
private struct KeptConstraints {
    /// Their numbers.
    private(set) var numbers: [KnownNames.Place: Int32] = [:]

    init?(_ change: SchemaChange, _ old: PostgresSchema) {
        for entity in change.target.entities {
            for constraint in entity.uniquenessConstraints where constraint.entity == entity.id {
                // One of a new entity has no objects yet.
                guard let source = change.sourceEntities[entity.id.index] else {
                    if entity.family.contains(where: { change.sourceEntities[$0.index] != nil }) {
                        return nil
                    }
                    continue
                }
                guard !change.isNew(constraint), let rows = change.rows[source.index],
                    let known = change.source[source].uniquenessConstraints.first(where: {
                        $0.entity == source && Self.isSame($0, constraint, rows)
                    }), let number = old.constraints[known],
                    Self.isCovered(source, by: entity, change)
                else { return nil }
                numbers[KnownNames.place(of: constraint, in: change.target)] = number
            }
        }
    }

    /// Whether a constraint has the same values in the same order, so that its digests are equal.
    private static func isSame(
        _ old: UniquenessConstraint, _ new: UniquenessConstraint, _ rows: RowChange
    ) -> Bool {
        old.slots.count == new.slots.count
            && zip(old.slots, new.slots).allSatisfy { before, slot in
                switch rows.sources[slot] {
                case .slot(before, nil, .null), .reference(before, _, _): true
                default: false
                }
            }
    }

    /// Whether the constraint still holds for all objects for which it did.
    private static func isCovered(
        _ source: EntityID, by entity: Entity, _ change: SchemaChange
    ) -> Bool {
        change.source[source].family.allSatisfy { member in
            change.targetEntity(member).map { change.target[$0].isKind(of: entity) } ?? false
        }
    }
}
