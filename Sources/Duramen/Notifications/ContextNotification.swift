public import DuramenModel
public import DuramenStore

/// A notification of a context, as a sendable value.
public enum ContextNotification: Sendable, Hashable {
    /// Changes are about to be saved.
    case willSave
    /// A save was written. A save of several stores sends one notification for each store.
    case didSave(SavedObjectIDs)
    /// Objects changed since the last notification of this kind. It is sent at the end of a unit of
    /// work, in ``ManagedObjectContext/processPendingChanges()``, and before a save.
    case objectsDidChange(ObjectIDChanges)
    /// Saves of other contexts were merged.
    case didMerge(ObjectIDChanges)
    /// Some notifications are missing: fetch again what you need. Either the listener was too slow,
    /// or the context had too many changes to merge and reloads everything.
    case missed
}

/// A notification of a container, as a sendable value.
public enum ContainerNotification: Sendable, Hashable {
    /// A context of the container saved. The notification comes before other contexts receive the
    /// changes to merge.
    case didSave(SavedObjectIDs)
    /// A store is about to be opened at a location.
    case willAddStore(location: String)
    /// A store was added.
    case didAddStore(StoreHandle)
    /// A store is about to be removed. Contexts can still read it until the next notification.
    case willRemoveStore(StoreHandle)
    /// A store was removed.
    case didRemoveStore(StoreHandle)
    /// The listener was too slow, so that earlier notifications were dropped: fetch again what you
    /// need.
    case missed
}

/// The objects that a save wrote to one store.
public struct SavedObjectIDs: Sendable, Hashable {
    /// The name of the context that saved.
    public var contextName: String?
    /// The author of the save.
    public var author: String?
    /// The store.
    public var store: StoreHandle
    /// The state of the store that the save created. Nil if nothing was written, or if the save's
    /// outcome was resolved later.
    public var generation: StoreGeneration?
    /// New objects, ascending.
    public var inserted: [ManagedObjectID] = []
    /// Changed objects, ascending.
    public var updated: [ManagedObjectID] = []
    /// Deleted objects, ascending.
    public var deleted: [ManagedObjectID] = []
}

/// The IDs of objects that changed, each list ascending.
public struct ObjectIDChanges: Sendable, Hashable {
    /// Objects that were inserted.
    public var inserted: [ManagedObjectID] = []
    /// Objects that were changed.
    public var updated: [ManagedObjectID] = []
    /// Objects that were deleted.
    public var deleted: [ManagedObjectID] = []
    /// Objects whose values were replaced.
    public var refreshed: [ManagedObjectID] = []
    /// Objects whose store was removed.
    public var invalidated: [ManagedObjectID] = []
    /// Whether the context was reset.
    public var invalidatedAll = false

    init(_ changes: ObjectChanges) {
        inserted = changes.inserted.map(\.objectID).sorted()
        updated = changes.updated.map(\.objectID).sorted()
        deleted = changes.deleted.map(\.objectID).sorted()
        refreshed = changes.refreshed.map(\.objectID).sorted()
        invalidated = changes.invalidated.map(\.objectID).sorted()
        invalidatedAll = changes.invalidatedAll
    }

    init(_ saves: [SavedChanges], in part: ContextPart) {
        func ids(_ rows: some Sequence<Row>) -> [ManagedObjectID] {
            let all = rows.map { $0.objectID(in: part.model, store: part.handle.store) }
            return Set(all).sorted()
        }
        inserted = ids(saves.flatMap(\.inserts))
        updated = ids(saves.flatMap { $0.updates.map(\.row) })
        deleted = ids(saves.flatMap(\.deletes))
        for elsewhere in saves.compactMap(\.elsewhere) {
            inserted = Set(inserted).union(elsewhere.inserted).sorted()
            updated = Set(updated).union(elsewhere.updated).sorted()
            deleted = Set(deleted).union(elsewhere.deleted).sorted()
        }
    }
}
