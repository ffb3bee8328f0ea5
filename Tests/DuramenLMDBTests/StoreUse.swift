import DuramenModel
import DuramenQuery
import DuramenStore

extension PersistentStore {
    func entity(_ name: String) throws -> Entity {
        guard let entity = model.entity(named: name) else {
            throw StoreError(.invalidRequest, "no entity \(name)")
        }
        return entity
    }

    func relationship(_ name: String, of entity: String) throws -> RelationshipID {
        guard case .relationship(let found)? = try self.entity(entity).property(named: name) else {
            throw StoreError(.invalidRequest, "no relationship \(name)")
        }
        return found.id
    }

    /// A row with the values given by property name, to-ones by object ID.
    func row(
        _ name: String, key: Int64, version: RowVersion = .unsaved, _ values: [String: StoredValue]
    ) throws -> Row {
        let entity = try entity(name)
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: key, version: version)
        for (property, value) in values {
            switch (entity.property(named: property), value) {
            case (.attribute(let attribute)?, _):
                builder.set(value, at: attribute.slot, as: attribute.kind)
            case (.relationship(let relationship)?, .objectID(let id)):
                guard case .toOne(let slot, let entitySlot) = relationship.storage else { break }
                builder.set(integer: id.key, at: slot)
                if let entitySlot, let target = model.entity(of: id) {
                    builder.set(integer: Int64(target.id.index), at: entitySlot)
                }
            default: throw StoreError(.invalidRequest, "no property \(property)")
            }
        }
        builder.endRow()
        return builder.finish()[0]
    }

    /// Inserts one object.
    @discardableResult
    func insert(_ name: String, _ values: [String: StoredValue] = [:]) throws -> ManagedObjectID {
        try insert(name, all: [values])[0]
    }

    /// Inserts objects in one save.
    @discardableResult
    func insert(_ name: String, all rows: [[String: StoredValue]]) throws -> [ManagedObjectID] {
        let entity = try entity(name)
        let keys = try allocateKeys(rows.count, for: entity.id)
        _ = try saved(
            ChangeSet(inserts: try zip(keys, rows).map { try row(name, key: $0, $1) }))
        return keys.map { ManagedObjectID(store: handle, entity: entity.handle, key: $0) }
    }

    /// Saves what must not conflict.
    @discardableResult
    func saved(_ changes: ChangeSet) throws -> SaveReceipt {
        switch try save(changes) {
        case .saved(let receipt): return receipt
        case .conflicted(let conflicts):
            throw StoreError(.invalidRequest, "unexpected conflicts: \(conflicts.count)")
        }
    }

    /// Whether a save conflicts.
    func conflicts(_ changes: ChangeSet) throws -> Bool {
        if case .conflicted = try save(changes) { true } else { false }
    }

    /// An update of an object's row as it is stored, some values replaced.
    func update(
        _ id: ManagedObjectID, _ values: [String: StoredValue]
    ) throws -> RowUpdate {
        guard let stored = try snapshot().rows(for: [id]).first, let entity = model.entity(of: id)
        else { throw StoreError(.invalidRequest, "no row \(id)") }
        var all: [String: StoredValue] = [:]
        var changed = SlotSet()
        for attribute in entity.attributes {
            all[attribute.name] = stored.value(attribute.slot, attribute.kind)
            if values[attribute.name] != nil { changed.insert(attribute.slot) }
        }
        for relationship in entity.relationships where !relationship.isToMany {
            if let target = stored.destination(of: relationship, in: model, store: handle) {
                all[relationship.name] = .objectID(target)
            }
            if values[relationship.name] != nil, let slot = relationship.slot {
                changed.insert(slot)
            }
        }
        all.merge(values) { $1 }
        all = all.filter { !$0.value.isNull }
        return RowUpdate(
            row: try row(entity.name, key: id.key, all), baseVersion: stored.version,
            changedSlots: changed)
    }

    /// Deletes an object as it is stored.
    func delete(_ id: ManagedObjectID) throws {
        guard let stored = try snapshot().rows(for: [id]).first else {
            throw StoreError(.invalidRequest, "no row \(id)")
        }
        try saved(ChangeSet(deletes: [RowDeletion(id: id, baseVersion: stored.version)]))
    }

    /// The value of an attribute as it is stored.
    func value(
        _ id: ManagedObjectID, _ property: String, in held: (any StoreSnapshot)? = nil
    ) throws -> StoredValue? {
        guard let row = try (held ?? snapshot()).rows(for: [id]).first,
            case .attribute(let attribute)? = model.entity(of: id)?.property(named: property)
        else { return nil }
        return row.value(attribute.slot, attribute.kind)
    }

    /// The keys of a query's results, in order.
    func keys(_ query: StoreQuery) throws -> [Int64] {
        try QueryExecution(query, on: self, in: snapshot()).rows().map(\.key)
    }

    /// A query of an entity.
    func query(
        _ name: String, _ predicate: FetchPredicate? = nil, sort: [FetchSortDescriptor] = [],
        offset: Int = 0, limit: Int? = nil
    ) throws -> StoreQuery {
        StoreQuery(
            entity: try entity(name).id, predicate: predicate, sortDescriptors: sort,
            offset: offset, limit: limit)
    }
}

/// A comparison of a property with a value.
func compare(
    _ path: String, _ relation: PredicateComparison.Operator, _ value: StoredValue
) -> FetchPredicate {
    .comparison(
        PredicateComparison(
            .keyPath(path.split(separator: ".").map(String.init)), relation, .constant(value)))
}

/// A comparison of a property with a list.
func compare(
    _ path: String, _ relation: PredicateComparison.Operator, _ list: [StoredValue]
) -> FetchPredicate {
    .comparison(
        PredicateComparison(
            .keyPath(path.split(separator: ".").map(String.init)), relation, .list(list)))
}
