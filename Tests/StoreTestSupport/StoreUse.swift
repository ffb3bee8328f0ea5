package import DuramenModel
package import DuramenQuery
package import DuramenStore
import DuramenTestKit

/// A store in the words of a test: entities and properties by their names.
extension PersistentStore {
    /// The entity of a name.
    package func entity(_ name: String) throws -> Entity {
        guard let entity = model.entity(named: name) else {
            throw StoreError(.invalidRequest, "no entity \(name)")
        }
        return entity
    }

    /// The relationship of a name.
    package func relationship(_ name: String, of entity: String) throws -> RelationshipID {
        guard case .relationship(let found)? = try self.entity(entity).property(named: name) else {
            throw StoreError(.invalidRequest, "no relationship \(name)")
        }
        return found.id
    }

    // MARK: - Writing

    /// A new row with the values given by property name, to-ones by object ID.
    package func row(_ name: String, key: Int64, _ values: [String: StoredValue]) throws -> Row {
        RowCoding.row(values, of: try entity(name), key: key, in: model)
    }

    /// Inserts one object.
    @discardableResult
    package func insert(
        _ name: String, _ values: [String: StoredValue] = [:]
    ) throws -> ManagedObjectID {
        try insert(name, all: [values])[0]
    }

    /// Inserts objects in one save.
    @discardableResult
    package func insert(
        _ name: String, all rows: [[String: StoredValue]]
    ) throws -> [ManagedObjectID] {
        let entity = try entity(name)
        let keys = try allocateKeys(rows.count, for: entity.id)
        try saved(
            ChangeSet(inserts: RowList(try zip(keys, rows).map { try row(name, key: $0, $1) })))
        return keys.map { ManagedObjectID(store: handle, entity: entity.handle, key: $0) }
    }

    /// An update of an object's row as it is stored, some values replaced.
    package func update(
        _ id: ManagedObjectID, _ values: [String: StoredValue]
    ) throws -> RowUpdate {
        let stored = try storedRow(id)
        let entity = model[stored.entityID]
        let all = RowCoding.values(of: stored, in: model, store: handle).merging(values) { $1 }
        return RowUpdate(
            row: try row(entity.name, key: id.key, all), baseVersion: stored.version,
            changedSlots: RowCoding.slots(of: values.keys, in: entity))
    }

    /// The deletion of an object as it is stored.
    package func deletion(_ id: ManagedObjectID) throws -> RowDeletion {
        RowDeletion(id: id, baseVersion: try storedRow(id).version)
    }

    /// Deletes an object as it is stored.
    package func delete(_ id: ManagedObjectID) throws {
        try saved(ChangeSet(deletes: [try deletion(id)]))
    }

    /// Saves what must not conflict.
    @discardableResult
    package func saved(_ changes: ChangeSet) throws -> SaveReceipt {
        switch try save(changes) {
        case .saved(let receipt): return receipt
        case .conflicted(let conflicts):
            throw StoreError(.invalidRequest, "unexpected conflicts: \(conflicts.count)")
        }
    }

    /// Whether a save conflicts.
    package func conflicts(_ changes: ChangeSet) throws -> Bool {
        if case .conflicted = try save(changes) { true } else { false }
    }

    // MARK: - Reading

    /// The value of an attribute as it is stored; nil where there is no such row or attribute.
    package func value(_ id: ManagedObjectID, _ property: String) throws -> StoredValue? {
        guard let row = try snapshot().rows(for: [id]).first,
            case .attribute(let attribute)? = model.entity(of: id)?.property(named: property)
        else { return nil }
        return row.value(attribute.slot, attribute.kind)
    }

    /// A query of an entity.
    package func query(
        _ name: String, _ predicate: FetchPredicate? = nil, sort: [FetchSortDescriptor] = [],
        offset: Int = 0, limit: Int? = nil
    ) throws -> StoreQuery {
        StoreQuery(
            entity: try entity(name).id, predicate: predicate, sortDescriptors: sort,
            offset: offset, limit: limit)
    }

    /// The keys of a query's results, in order.
    package func keys(_ query: StoreQuery) throws -> [Int64] {
        try QueryExecution(query, on: self, in: snapshot()).rows().map(\.key)
    }

    private func storedRow(_ id: ManagedObjectID) throws -> Row {
        guard let row = try snapshot().rows(for: [id]).first else {
            throw StoreError(.invalidRequest, "no row \(id)")
        }
        return row
    }
}

/// The code of the store error that the work throws; nil when it throws none.
package func storeErrorCode<Result>(_ work: () throws -> Result) -> StoreError.Code? {
    do {
        _ = try work()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
