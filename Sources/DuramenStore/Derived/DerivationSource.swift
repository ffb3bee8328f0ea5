public import DuramenModel

/// The contents of a store before a change set, read within the transaction that writes the change
/// set.
public protocol DerivationSource: AnyObject {
    /// Reads rows by ID; unknown IDs are left out.
    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch

    /// Reads where a to-many leads from an object, which may be unknown.
    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID]
}
