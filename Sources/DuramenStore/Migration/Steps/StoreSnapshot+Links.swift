import DuramenModel

extension StoreSnapshot {
    /// Returns the objects whose to-one refers to each of some rows of one entity.
    ///
    /// - Parameters:
    ///   - relationship: The relationship of the rows whose inverse is the to-one.
    ///   - rows: The rows of one entity.
    ///   - store: The store of the snapshot.
    func sources(
        of relationship: Relationship, of rows: [Row], in store: any PersistentStore
    ) throws(StoreError) -> [[ManagedObjectID]] {
        if relationship.isToMany {
            return try destinations(
                of: relationship.id,
                from: rows.map { $0.objectID(in: store.model, store: store.handle) })
        }
        return rows.map { row in
            row.destination(of: relationship, in: store.model, store: store.handle).map { [$0] }
                ?? []
        }
    }

    /// Returns the number of a member in the order of a to-many; nil if it is not ordered.
    func order(
        of member: ManagedObjectID, in relationship: Relationship, of owner: ManagedObjectID
    ) throws(StoreError) -> Int64? {
        guard relationship.isOrdered else { return nil }
        let lists = try orderedDestinations(of: relationship.id, from: [owner])
        return lists.first?.first { $0.id == member }?.order
    }
}
