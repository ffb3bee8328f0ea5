public import DuramenModel

/// The IDs of objects that a save changed. The value can be sent to other isolations and, in its
/// `Codable` form of URIs, to other processes.
public struct ChangedObjectIDs: Sendable, Hashable, Codable {
    /// New objects.
    public var inserted: Set<ManagedObjectID>
    /// Changed objects.
    public var updated: Set<ManagedObjectID>
    /// Deleted objects.
    public var deleted: Set<ManagedObjectID>
    /// The objects that were reloaded.
    public var refreshed: Set<ManagedObjectID>
    /// Objects whose values, including edits, are no longer valid.
    public var invalidated: Set<ManagedObjectID>

    /// Creates a list of changed objects.
    public init(
        inserted: Set<ManagedObjectID> = [], updated: Set<ManagedObjectID> = [],
        deleted: Set<ManagedObjectID> = [], refreshed: Set<ManagedObjectID> = [],
        invalidated: Set<ManagedObjectID> = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.refreshed = refreshed
        self.invalidated = invalidated
    }

    /// Creates the list of a save's objects, for a context of another container or process:
    /// `context.mergeChanges(fromContextDidSave: ChangedObjectIDs(saved))`.
    public init(_ saved: SavedObjectIDs) {
        self.init(
            inserted: Set(saved.inserted), updated: Set(saved.updated), deleted: Set(saved.deleted))
    }

    /// The IDs of all objects, of all kinds of changes.
    public var all: Set<ManagedObjectID> {
        inserted.union(updated).union(deleted).union(refreshed).union(invalidated)
    }
}
