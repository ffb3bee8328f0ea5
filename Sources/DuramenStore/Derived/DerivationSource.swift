public import DuramenModel

/// A store's state before a change set, read within the transaction that writes it.
public protocol DerivationSource: AnyObject {
    /// Returns the rows with the given IDs; unknown IDs are left out.
    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch

    /// Returns the destinations of a to-many relationship from an object, which may be unknown.
    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID]
}
