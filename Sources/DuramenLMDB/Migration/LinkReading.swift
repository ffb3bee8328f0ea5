import DuramenModel
import DuramenStore

/// Reads the links of a relationship before the store's rows are changed.
struct LinkReading {
    let schema: StoreSchema
    let transaction: Transaction

    private var rows: RowReading {
        RowReading(schema: schema, transaction: transaction, readsFiles: false)
    }

    /// - Parameters:
    ///   - relationship: A to-one with a slot, or a side of a many-to-many.
    ///   - note: Receives each link.
    func forEachLink(
        of relationship: Relationship, _ note: (MigrationLinks.Link) -> Void
    ) throws(StoreError) {
        if relationship.slot == nil {
            try forEachPair(of: relationship, note)
        } else {
            try forEachReference(of: relationship, note)
        }
    }

    private func forEachReference(
        of toOne: Relationship, _ note: (MigrationLinks.Link) -> Void
    ) throws(StoreError) {
        let model = schema.model
        let owner = model[toOne.declaringEntity]
        let destinations = schema.places[toOne.destination.index].rows
        let cursor = try transaction.cursor(schema.places[owner.id.index].rows)
        var record = try cursor.first()
        while let found = record {
            if let row = try rows.row(found, in: owner.id),
                let own = model[row.entityID].relationship(toOne.id),
                let destination = row.destination(of: own, in: model, store: schema.handle),
                let entity = model.entity(of: destination),
                // A reference to a deleted row is not a link.
                try transaction.value(of: destination.key, in: destinations) != nil
            {
                let order = own.orderSlot.flatMap { row.isNull($0) ? nil : row.integer($0) }
                note(
                    .init(
                        from: (row.key, row.entityID), to: (destination.key, entity.id),
                        number: order))
            }
            record = try cursor.next()
        }
    }

    private func forEachPair(
        of relationship: Relationship, _ note: (MigrationLinks.Link) -> Void
    ) throws(StoreError) {
        // The side with the order has the order numbers.
        let inverse = schema.model[relationship.inverse]
        let isReversed = inverse.isOrdered
        let side = isReversed ? inverse : relationship
        var pairs: [(source: Int64, destination: Int64, order: Int64?)] = []
        try PairWalk(transaction: transaction, edges: schema.tables.edges).forEachPair(
            of: schema.numbers.relationships[side.id.index]
        ) { pairs.append(($0, $1, $2)) }
        let sources = try entities(of: pairs.map(\.source), below: side.declaringEntity)
        let destinations = try entities(of: pairs.map(\.destination), below: side.destination)
        for pair in pairs {
            guard let source = sources[pair.source],
                let destination = destinations[pair.destination]
            else { continue }
            let ends = ((pair.source, source), (pair.destination, destination))
            note(
                isReversed
                    ? .init(from: ends.1, to: ends.0, number: pair.order)
                    : .init(from: ends.0, to: ends.1))
        }
    }

    private func entities(
        of keys: [Int64], below entity: EntityID
    ) throws(StoreError) -> [Int64: EntityID] {
        let table = schema.places[entity.index].rows
        var entities: [Int64: EntityID] = [:]
        for key in Set(keys).sorted() {
            guard let bytes = try transaction.value(of: key, in: table) else { continue }
            let head = try rows.head(bytes, key: key, schema.model[entity].root)
            entities[key] = rows.entity(of: head)
        }
        return entities
    }
}
