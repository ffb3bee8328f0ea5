import DuramenModel
import DuramenSQL

/// Computes tables, columns, pairs, indexes and numbers for ``PostgresSchema``.
struct SchemaBuilder {
    private let schemaName: String
    private let model: ManagedObjectModel
    private let known: KnownNames
    private(set) var tables: [TableMap] = []
    private(set) var entities: [EntityMap] = []
    private(set) var pairTables: [SQLPairTable?]
    private(set) var pairSides: [RelationshipID] = []
    /// The names of pair tables without quotes, by their quoted names.
    private(set) var pairNames: [StoredText: String] = [:]
    private(set) var indexes: [IndexMap] = []
    private(set) var constraints: [UniquenessConstraint: Int32] = [:]
    private var naming = SchemaNaming.tables()

    init(name: String, model: ManagedObjectModel, known: KnownNames) {
        schemaName = name
        self.model = model
        self.known = known
        pairTables = Array(repeating: nil, count: model.relationships.count)
        for table in known.tables.values { naming.add(table) }
        for table in known.pairs.values { naming.add(table) }
        var last = known.entities.values.max() ?? 0
        entities = model.entities.map { entity in
            if let number = known.entities[StoredText(entity.name)] {
                return EntityMap(number: number)
            }
            last += 1
            return EntityMap(number: last)
        }
    }

    mutating func build() {
        for root in model.entities where root.superentity == nil { addTable(root) }
        for relationship in model.relationships {
            guard case .manyToMany = relationship.storage,
                relationship.id <= relationship.inverse
            else { continue }
            addPairs(relationship)
        }
        for place in tables.indices { addToOneIndexes(tables[place]) }
        for entity in model.entities { addModelIndexes(entity) }
        numberConstraints()
    }

    // MARK: - Tables

    private mutating func addTable(_ root: Entity) {
        let name = known.tables[StoredText(root.name)] ?? naming.name(root.name)
        var table = TableMap(
            name: name, quoted: quoted(name), root: root.id, entities: root.family)
        var naming = SchemaNaming.columns()
        for id in root.family {
            for column in known.columns where column.key.entity == StoredText(model[id].name) {
                naming.add(column.value)
            }
        }
        var declared = DeclaredColumns()
        for id in root.family {
            declared.add(addColumns(of: model[id], to: &table, &naming), of: id)
        }
        for id in root.family {
            entities[id.index].table = tables.count
            entities[id.index].columns = declared.columns(of: model[id], in: model)
        }
        tables.append(table)
    }

    private func addColumns(
        of entity: Entity, to table: inout TableMap, _ naming: inout SchemaNaming
    ) -> [Int: Int] {
        var places: [Int: Int] = [:]
        func add(_ property: String, _ words: String, _ part: ColumnMap.Part, _ kind: SlotKind)
            -> Int
        {
            let suffix =
                switch part {
                case .value, .reference: ""
                case .entity: "_entity"
                case .order: "_order"
                }
            let place = KnownNames.Place(entity.name, property, part.rawValue)
            let name = known.columns[place] ?? naming.name(words, suffix: suffix)
            table.columns.append(
                ColumnMap(
                    name: name, quoted: SQLQuoting.identifier(name), kind: kind, entity: entity.id,
                    property: property, part: part))
            return table.columns.count - 1
        }
        for attribute in entity.attributes where attribute.declaringEntity == entity.id {
            places[attribute.slot] = add(attribute.name, attribute.name, .value, attribute.kind)
        }
        for relationship in entity.relationships where relationship.declaringEntity == entity.id {
            guard case .toOne(let slot, let entitySlot) = relationship.storage else { continue }
            // A hidden one is named after the to-many whose inverse it is.
            let words =
                relationship.isHidden
                ? model[model[relationship.inverse].declaringEntity].name + "."
                    + model[relationship.inverse].name
                : relationship.name
            places[slot] = add(relationship.name, words, .reference, .reference)
            if let entitySlot {
                places[entitySlot] = add(relationship.name, words, .entity, .referenceEntity)
            }
            if let orderSlot = relationship.orderSlot {
                places[orderSlot] = add(relationship.name, words, .order, .integer)
            }
        }
        return places
    }

    // MARK: - Pairs

    private mutating func addPairs(_ relationship: Relationship) {
        let inverse = model[relationship.inverse]
        let owner = model[relationship.declaringEntity].name
        let place = KnownNames.Place(owner, relationship.name, KnownNames.pairPart)
        let turned = KnownNames.Place(
            model[inverse.declaringEntity].name, inverse.name, KnownNames.pairPart)
        // A renaming may have exchanged the order of the sides.
        let isTurned = known.pairs[place] == nil && known.pairs[turned] != nil
        let name =
            known.pairs[place] ?? known.pairs[turned]
            ?? naming.name("\(owner).\(relationship.name)")
        var pairs = SQLPairTable(
            table: quoted(name), ownerColumn: PairColumn.a, destinationColumn: PairColumn.b,
            isReflexive: relationship.isSelfInverse)
        if (isTurned ? inverse : relationship).isOrdered { pairs.orderColumn = PairColumn.aOrder }
        if !relationship.isSelfInverse, (isTurned ? relationship : inverse).isOrdered {
            pairs.inverseOrderColumn = PairColumn.bOrder
        }
        if isTurned { pairs = pairs.reversed }
        pairNames[StoredText(pairs.table)] = name
        pairTables[relationship.id.index] = pairs
        if !pairs.isReflexive { pairTables[inverse.id.index] = pairs.reversed }
        pairSides.append(isTurned ? inverse.id : relationship.id)
        indexes.append(
            IndexMap(
                name: Self.indexName(name + PairColumn.b),
                target: "ON \(quoted(name)) (\(PairColumn.b), \(PairColumn.a))"))
    }

    // MARK: - Indexes

    private mutating func addToOneIndexes(_ table: TableMap) {
        for column in table.columns where column.part == .reference {
            add(on: table, column.quoted + ", id")
        }
    }

    private mutating func addModelIndexes(_ entity: Entity) {
        let table = tables[entities[entity.id.index].table]
        for index in entity.indexes {
            let terms = index.elements.compactMap { element -> String? in
                let slot: Int? =
                    switch entity.property(named: element.property) {
                    case .attribute(let attribute)?: attribute.slot
                    case .relationship(let relationship)?: relationship.slot
                    case nil: nil
                    }
                guard let slot else { return nil }
                let column = table.columns[entities[entity.id.index].columns[slot]]
                return Self.term(column)
                    + (element.isAscending ? " ASC NULLS FIRST" : " DESC NULLS LAST")
            }
            if !terms.isEmpty { add(on: table, terms.joined(separator: ", ") + ", id") }
        }
    }

    /// The term of an index for a column. An entry has at most 2,704 bytes, a third of a page.
    private static func term(_ column: ColumnMap) -> String {
        switch column.kind {
        case .text, .uri: "left(\(column.quoted), \(IndexedPrefix.characters))"
        case .binary, .transformable:
            "substring(\(column.quoted) from 1 for \(IndexedPrefix.bytes))"
        default: column.quoted
        }
    }

    private mutating func add(on table: TableMap, _ terms: String) {
        let name = Self.indexName(table.name + terms)
        if indexes.contains(where: { StoredText($0.name) == StoredText(name) }) { return }
        indexes.append(IndexMap(name: name, target: "ON \(table.quoted) (\(terms))"))
    }

    private static func indexName(_ definition: String) -> String {
        "i_" + SchemaNaming.digest(of: definition).prefix(24)
    }

    // MARK: - Numbers

    private mutating func numberConstraints() {
        var last = known.constraints.values.max() ?? 0
        for entity in model.entities {
            for constraint in entity.uniquenessConstraints where constraint.entity == entity.id {
                if let number = known.constraints[KnownNames.place(of: constraint, in: model)] {
                    constraints[constraint] = number
                } else {
                    last += 1
                    constraints[constraint] = last
                }
            }
        }
    }

    private func quoted(_ name: String) -> String {
        "\(SQLQuoting.identifier(schemaName)).\(SQLQuoting.identifier(name))"
    }
}

/// The columns of a table of pairs.
enum PairColumn {
    /// The key of the first side.
    static let a = "a"
    /// The key of the second side.
    static let b = "b"
    /// The second side's number in the order of the first.
    static let aOrder = "a_order"
    /// The first side's number in the order of the second.
    static let bOrder = "b_order"

    /// The columns with numbers that a table has.
    static func orders(of pairs: SQLPairTable) -> [String] {
        [aOrder, bOrder].filter { $0 == pairs.orderColumn || $0 == pairs.inverseOrderColumn }
    }
}

/// How much of a long value is in an index.
enum IndexedPrefix {
    /// The characters of a text, up to 960 bytes.
    static let characters = 240
    /// The bytes of a binary value.
    static let bytes = 900
}
