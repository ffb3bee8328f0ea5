import DuramenModel
import DuramenStore

/// A request for the destinations of a to-many from many sources.
struct DestinationRequest {
    let rows: RowReading
    let indexNumbers: [UInt32?]
    let scans: TableScans

    private var schema: StoreSchema { rows.schema }

    func destinations(
        of relationship: Relationship, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        let owner = schema.model[relationship.declaringEntity]
        let target = schema.model[relationship.destination]
        var prefix = KeyBuilder()
        let cursor = try rows.transaction.cursor(schema.places[target.id.index].rows)
        var result: [[ManagedObjectID]] = []
        result.reserveCapacity(sources.count)
        for source in sources {
            guard try isThere(source, owner) else {
                result.append([])
                continue
            }
            let keys: [Int64]
            if let place = schema.toManyIndexes[relationship.id.index] {
                if let number = indexNumbers[place] {
                    prefix.begin(number)
                    _ = prefix.append(.objectID(source), as: .reference)
                    keys = try rows.keys(behind: prefix.bytes, in: schema.tables.index)
                } else {
                    keys = try scans.sources(by: place, rows)[source.key] ?? []
                }
            } else {
                prefix.begin(schema.numbers.relationships[relationship.id.index])
                prefix.append(key: source.key)
                keys = try rows.keys(behind: prefix.bytes, in: schema.tables.edges)
            }
            result.append(
                try identify(
                    keys, target, cursor,
                    isIndexed: schema.toManyIndexes[relationship.id.index] != nil))
        }
        return result
    }

    /// Returns the destinations of ordered to-many relationships with their numbers, in their
    /// order.
    func orderedDestinations(
        of relationship: Relationship, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        var result: [[OrderedDestination]] = []
        var key = KeyBuilder()
        for (source, ids) in zip(sources, try destinations(of: relationship, from: sources)) {
            var list: [OrderedDestination] = []
            list.reserveCapacity(ids.count)
            for id in ids {
                let order: Int64?
                if case .manyToMany = relationship.storage {
                    key.begin(schema.numbers.relationships[relationship.id.index])
                    key.append(key: source.key)
                    key.append(key: id.key)
                    order = try rows.transaction.value(of: key.bytes, in: schema.tables.edges)
                        .flatMap(PairNumber.read)
                } else {
                    order = try rows.row(of: id).flatMap {
                        number(of: $0, by: relationship.inverse)
                    }
                }
                list.append(OrderedDestination(id, order: order))
            }
            list.sort()
            result.append(list)
        }
        return result
    }

    private func number(of row: Row, by toOne: RelationshipID) -> Int64? {
        let slot = schema.model[row.entityID].relationship(toOne)?.orderSlot
        return slot.flatMap { row.isNull($0) ? nil : row.integer($0) }
    }

    private func isThere(_ id: ManagedObjectID, _ owner: Entity) throws(StoreError) -> Bool {
        guard id.store == schema.handle, let entity = schema.model.entity(of: id),
            entity.isKind(of: owner),
            case let table = schema.places[entity.id.index].rows
        else { return false }
        guard let record = try rows.transaction.value(of: id.key, in: table) else {
            try rows.checkMissing(id.key, in: entity.id)
            return false
        }
        return rows.entity(of: try rows.head(record, key: id.key, entity.id)) == entity.id
    }

    /// The IDs of the keys that have a row.
    private func identify(
        _ keys: [Int64], _ target: Entity, _ cursor: TableCursor, isIndexed: Bool
    ) throws(StoreError) -> [ManagedObjectID] {
        var ids: [ManagedObjectID] = []
        ids.reserveCapacity(keys.count)
        for key in keys {
            guard let record = try cursor.find(key) else {
                // Deleting a row also deletes its index entries, so this row is lost.
                if isIndexed { throw schema.damaged(target.name, key: key) }
                try rows.checkMissing(key, in: target.id)
                continue
            }
            let head = try rows.head(record.value, key: key, target.id)
            guard let entity = rows.entity(of: head) else { continue }
            ids.append(
                ManagedObjectID(
                    store: schema.handle, entity: schema.model[entity].handle, key: key))
        }
        return ids
    }
}

/// The results of scans of whole tables, without an index, for the duration of one request.
final class TableScans {
    private var found: [Int: [Int64: [Int64]]] = [:]

    /// Returns the rows with a to-one, by the to-one's destination.
    func sources(by place: Int, _ rows: RowReading) throws(StoreError) -> [Int64: [Int64]] {
        if let known = found[place] { return known }
        let sources = try scan(rows.schema.indexes[place], rows)
        found[place] = sources
        return sources
    }

    private func scan(
        _ index: StoreIndex, _ rows: RowReading
    ) throws(StoreError) -> [Int64: [Int64]] {
        let schema = rows.schema
        let family = schema.model[index.entity].family
        let cursor = try rows.transaction.cursor(schema.places[index.entity.index].rows)
        var found: [Int64: [Int64]] = [:]
        var record = try cursor.first()
        while let current = record {
            let head = try rows.head(
                current.value, key: try rows.key(of: current), index.entity)
            if let entity = rows.entity(of: head), family.contains(entity),
                let destination = try rows.word(index.parts[0].slot(in: entity), of: head)
            {
                found[destination, default: []].append(head.row.key)
            }
            record = try cursor.next()
        }
        return found
    }
}
