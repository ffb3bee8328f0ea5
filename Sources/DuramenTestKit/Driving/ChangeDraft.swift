public import DuramenModel
public import DuramenStore

/// A change set being built, with property names.
public struct ChangeDraft: Sendable {
    /// The change set so far.
    public var changes = ChangeSet()

    private let driver: StoreDriver

    init(_ driver: StoreDriver) { self.driver = driver }

    /// Adds a new object, with the next key of its hierarchy unless a key is given.
    @discardableResult
    public mutating func insert(
        _ entityName: String, _ values: PropertyValues = [:], key: Int64? = nil
    ) throws -> ManagedObjectID {
        let entity = driver.entity(entityName)
        let key = try key ?? driver.store.allocateKeys(1, for: entity.id).lowerBound
        changes.inserts.append(RowCoding.row(values, of: entity, key: key, in: driver.model))
        return ManagedObjectID(store: driver.store.handle, entity: entity.handle, key: key)
    }

    /// Changes some values of an object, based on its stored row.
    public mutating func update(_ id: ManagedObjectID, _ values: PropertyValues) throws {
        update(try driver.existingRow(id), values)
    }

    /// Changes some values of an object, based on a row that was read before.
    public mutating func update(_ base: Row, _ values: PropertyValues) {
        let entity = driver.model[base.entityID]
        let old = RowCoding.values(of: base, in: driver.model, store: driver.store.handle)
        let new = old.merging(values) { $1 }.filter { !$0.value.isNull }
        changes.updates.append(
            RowUpdate(
                row: RowCoding.row(
                    new, of: entity, key: base.key, version: base.version, in: driver.model),
                baseVersion: base.version,
                changedSlots: RowCoding.slots(of: values.keys, in: entity)))
    }

    /// Deletes an object, based on its stored row.
    public mutating func delete(_ id: ManagedObjectID) throws {
        delete(try driver.existingRow(id))
    }

    /// Deletes an object, based on a row that was read before.
    public mutating func delete(_ base: Row) {
        changes.deletes.append(RowDeletion(id: driver.id(of: base), baseVersion: base.version))
    }

    /// Adds a check that an object still has the version of a row that was read before.
    public mutating func check(_ base: Row) {
        changes.checks.append(RowCheck(id: driver.id(of: base), baseVersion: base.version))
    }

    /// Adds a pair of a many-to-many relationship, named such as `"Item.tags"`, or changes its
    /// order numbers.
    public mutating func relate(
        _ relationship: String, _ source: ManagedObjectID, _ destination: ManagedObjectID,
        order: Int64? = nil, inverseOrder: Int64? = nil
    ) {
        changes.edges.append(
            EdgeChange(
                relationship: driver.relationship(relationship).id,
                added: [
                    .init(
                        from: source, to: destination, order: order, inverseOrder: inverseOrder)
                ]))
    }

    /// Removes a pair of a many-to-many relationship.
    public mutating func unrelate(
        _ relationship: String, _ source: ManagedObjectID, _ destination: ManagedObjectID
    ) {
        changes.edges.append(
            EdgeChange(
                relationship: driver.relationship(relationship).id,
                removed: [.init(from: source, to: destination)]))
    }
}
