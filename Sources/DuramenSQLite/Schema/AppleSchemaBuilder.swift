import DuramenModel
import DuramenSQL

/// Computes tables, columns, pairs and indexes for ``AppleSchema``.
struct AppleSchemaBuilder {
    let model: ManagedObjectModel
    let numbers: [Int]
    let pairNaming: PairNaming
    /// The tables of a Core Data file; nil if Duramen chooses the names.
    let existing: ExistingTables?
    private(set) var tables: [TableMap] = []
    private(set) var entities: [EntityMap] = []
    private(set) var pairTables: [SQLPairTable?] = []
    private(set) var namingSides: [RelationshipID] = []
    private(set) var indexes: [IndexMap] = []
    private var objects = AppleNaming.objects()
    private var pairColumns = AppleNaming.pairColumns()
    private let dialect = SQLiteDialect()
    // The names of pair tables and their columns, for the indexes.
    private var pairNames: [(table: String, columns: [String])] = []

    init(
        model: ManagedObjectModel, numbers: [Int], pairNaming: PairNaming,
        existing: ExistingTables?
    ) {
        self.model = model
        self.numbers = numbers
        self.pairNaming = pairNaming
        self.existing = existing
        pairTables = Array(repeating: nil, count: model.relationships.count)
        entities = numbers.map { EntityMap(table: 0, number: $0) }
    }

    mutating func build() {
        let byNumber = model.entities.sorted { numbers[$0.id.index] < numbers[$1.id.index] }
        for root in byNumber where root.superentity == nil { addTable(root) }
        for relationship in pairNaming.sides(of: model, numbers) { addPairs(relationship) }
        for place in tables.indices { addColumnIndexes(place) }
        for (table, columns) in pairNames { addPairIndex(table, columns) }
        for entity in byNumber { addModelIndexes(entity) }
    }

    // MARK: - Tables

    private mutating func addTable(_ root: Entity) {
        let name = objects.table(for: root.name)
        let family = root.family.map { model[$0] }
            .sorted { numbers[$0.id.index] < numbers[$1.id.index] }
        var table = TableMap(
            name: name, quoted: dialect.quote(name), root: root.id,
            rootNumber: numbers[root.id.index], entities: family.map(\.id))
        var naming = AppleNaming.columns()
        var declared = DeclaredColumns()
        for entity in family {
            declared.add(addColumns(of: entity, to: &table, &naming), of: entity.id)
        }
        for entity in family {
            entities[entity.id.index].table = tables.count
            entities[entity.id.index].columns = declared.columns(of: entity, in: model)
        }
        table.hasDecimals = table.columns.contains { $0.type == "DECIMAL" }
        tables.append(table)
    }

    private func addColumns(
        of entity: Entity, to table: inout TableMap, _ naming: inout AppleNaming
    ) -> [Int: Int] {
        var places: [Int: Int] = [:]
        let number = numbers[entity.id.index]
        func add(_ name: String, _ type: String, _ group: Int) -> Int {
            table.columns.append(
                ColumnMap(
                    name: name, quoted: dialect.quote(name), type: type, group: group,
                    entityNumber: number, place: table.columns.count))
            return table.columns.count - 1
        }
        let attributes = entity.attributes.filter { $0.declaringEntity == entity.id }
        let toOnes = entity.relationships.filter {
            $0.declaringEntity == entity.id && !$0.isToMany
        }
        let names = (attributes.map(\.name) + toOnes.map(\.name)).map { StoredText($0) }.sorted()
        for name in names {
            if let attribute = attributes.first(where: { StoredText($0.name) == name }) {
                let (type, group) = Self.columnType(of: attribute)
                places[attribute.slot] = add(naming.column(for: attribute.name), type, group)
            } else if let toOne = toOnes.first(where: { StoredText($0.name) == name }),
                case .toOne(let slot, let entitySlot) = toOne.storage
            {
                let target = numbers[toOne.destination.index]
                let toMany = model[toOne.inverse].name
                let key =
                    toOne.isHidden
                    ? naming.hiddenColumn(for: toMany, ownerNumber: target)
                    : naming.column(for: toOne.name)
                places[slot] = add(key, "INTEGER", 1)
                if let entitySlot {
                    let second = naming.entityColumn(
                        for: toOne.isHidden ? toMany : toOne.name, destinationNumber: target)
                    let place = add(second, "INTEGER", 1)
                    places[entitySlot] = place
                    // In such a file, Core Data finds the entity by the key.
                    table.columns[place].isMissing =
                        toOne.isHidden && existing?.hasColumn(second, of: table.name) == false
                }
                if let orderSlot = toOne.orderSlot {
                    places[orderSlot] = add(
                        naming.orderColumn(of: key, isOfPairs: false), "INTEGER", 2)
                }
            }
        }
        return places
    }

    private static func columnType(of attribute: Attribute) -> (String, Int) {
        switch attribute.kind {
        case .integer, .boolean, .reference, .referenceEntity: ("INTEGER", 0)
        case .double, .float: ("FLOAT", 3)
        case .date: ("TIMESTAMP", 3)
        case .decimal: ("DECIMAL", 4)
        case .text, .uri: ("VARCHAR", 5)
        case .uuid: ("BLOB", 6)
        case .transformable: ("BLOB", 7)
        case .binary: ("BLOB", 8)
        }
    }

    // MARK: - Pairs

    private mutating func addPairs(_ relationship: Relationship) {
        let inverse = model[relationship.inverse]
        let own = numbers[relationship.declaringEntity.index]
        let other = numbers[inverse.declaringEntity.index]
        var table = objects.pairName(for: relationship.name, number: own)
        // In a Core Data file the existing tables determine the names.
        if pairNaming == .byNumber || existing != nil { pairColumns = AppleNaming.pairColumns() }
        var ownerColumn =
            relationship.isSelfInverse
            ? AppleNaming.reflexive : pairColumns.pairName(for: inverse.name, number: own)
        var destinationColumn = pairColumns.pairName(for: relationship.name, number: other)
        if relationship.isSelfInverse {
            table = existing?.reflexivePairs(table, except: pairNames.map(\.table)) ?? table
        } else {
            let names = [(own, inverse.name), (other, relationship.name)]
            if let found = existing?.pairs(names[0], names[1], except: pairNames.map(\.table)) {
                (table, ownerColumn, destinationColumn) = found
            }
        }
        var pairs = SQLPairTable(
            table: dialect.quote(table), ownerColumn: dialect.quote(ownerColumn),
            destinationColumn: dialect.quote(destinationColumn),
            isReflexive: relationship.isSelfInverse)
        if relationship.isOrdered {
            pairs.orderColumn = dialect.quote(
                pairColumns.orderColumn(of: destinationColumn, isOfPairs: true))
        }
        if inverse.isOrdered, !relationship.isSelfInverse {
            pairs.inverseOrderColumn = dialect.quote(
                pairColumns.orderColumn(of: ownerColumn, isOfPairs: true))
        }
        if existing != nil, pairs.isReflexive, !relationship.isOrdered {
            let (one, other) = (pairs.ownerColumn, pairs.destinationColumn)
            pairs.source =
                "(SELECT \(one), \(other) FROM \(pairs.table) UNION "
                + "SELECT \(other), \(one) FROM \(pairs.table))"
        }
        pairTables[relationship.id.index] = pairs
        if !pairs.isReflexive { pairTables[inverse.id.index] = pairs.reversed }
        namingSides.append(relationship.id)
        pairNames.append((table, [ownerColumn, destinationColumn]))
    }

    // MARK: - Indexes

    private mutating func addColumnIndexes(_ place: Int) {
        let table = tables[place]
        if table.entities.count > 1 {
            let name = objects.columnIndex(table: table.name, column: "Z_ENT")
            add(name, on: table.quoted, "Z_ENT")
        }
        for entity in table.entities.map({ model[$0] }) {
            for relationship in entity.relationships
            where relationship.declaringEntity == entity.id {
                guard let slot = relationship.slot else { continue }
                let number = entities[entity.id.index].columns[slot]
                let column = table.columns[number]
                let name = objects.columnIndex(table: table.name, column: column.name)
                add(name, on: table.quoted, column.quoted)
                indexes[indexes.count - 1].toOne = ColumnPlace(table: place, column: number)
            }
        }
    }

    private mutating func addPairIndex(_ table: String, _ columns: [String]) {
        let name = objects.columnIndex(table: table, column: columns[1])
        add(
            name, on: dialect.quote(table),
            dialect.quote(columns[1]) + ", " + dialect.quote(columns[0]))
    }

    private mutating func addModelIndexes(_ entity: Entity) {
        let map = entities[entity.id.index]
        let table = tables[map.table]
        for index in entity.indexes {
            let terms = index.elements.compactMap { element -> String? in
                let slot: Int? =
                    switch entity.property(named: element.property) {
                    case .attribute(let attribute)?: attribute.slot
                    case .relationship(let relationship)?: relationship.slot
                    case nil: nil
                    }
                return slot.map {
                    table.columns[map.columns[$0]].quoted + " COLLATE BINARY "
                        + (element.isAscending ? "ASC" : "DESC")
                }
            }
            let name = objects.fetchIndex(entity: entity.name, name: index.name)
            add(name, on: table.quoted, terms.joined(separator: ", "))
        }
        for constraint in entity.uniquenessConstraints where constraint.entity == entity.id {
            let columns = constraint.slots.map { table.columns[map.columns[$0]].quoted }
            // Two different decimals may have one nearest REAL: the writer checks these.
            let isExact = !constraint.slots.contains { entity.layout.kinds[$0] == .decimal }
            let covered = entity.family.map { String(numbers[$0.index]) }
            let condition =
                entity.family.count == table.entities.count
                ? "" : " WHERE Z_ENT IN (\(covered.joined(separator: ", ")))"
            let name = objects.uniqueIndex(entity: entity.name, properties: constraint.properties)
            add(
                name, on: table.quoted,
                columns.map { $0 + " COLLATE BINARY ASC" }.joined(separator: ", "), condition)
            guard isExact else { continue }
            indexes[indexes.count - 1].constraint = constraint
            let isSet = columns.map { $0 + " IS NOT NULL" }.joined(separator: " AND ")
            indexes[indexes.count - 1].sharingQuery =
                "SELECT 1 FROM \(table.quoted)\(condition.isEmpty ? " WHERE" : condition + " AND") "
                + "\(isSet) GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1"
        }
    }

    private mutating func add(
        _ name: String, on table: String, _ terms: String, _ condition: String = ""
    ) {
        indexes.append(
            IndexMap(
                name: name, quoted: dialect.quote(name),
                target: "ON \(table) (\(terms))\(condition)"))
    }
}
