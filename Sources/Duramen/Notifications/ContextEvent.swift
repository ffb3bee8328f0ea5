/// An event that a context sends to its observers, in its own isolation, with live objects.
public enum ContextEvent {
    /// Changes are about to be saved. Changes that an observer makes now are saved too.
    case willSave
    /// A save wrote these objects.
    case didSave(SavedObjects)
    /// These objects changed since the last event of this kind. It is sent at the end of a unit of
    /// work, in ``ManagedObjectContext/processPendingChanges()``, and before a save.
    case objectsDidChange(ObjectChanges)
    /// These saves of other contexts were merged.
    case didMerge(ObjectIDChanges)
}

/// The objects that a save wrote.
public struct SavedObjects {
    /// New objects.
    public internal(set) var inserted: Set<ManagedObject> = []
    /// Changed objects.
    public internal(set) var updated: Set<ManagedObject> = []
    /// Deleted objects. Their values can still be read.
    public internal(set) var deleted: Set<ManagedObject> = []
}

/// The objects of a context that changed.
public struct ObjectChanges {
    /// Objects that were inserted.
    public internal(set) var inserted: Set<ManagedObject> = []
    /// Objects that were edited, and objects whose to-manys gained or lost members.
    public internal(set) var updated: Set<ManagedObject> = []
    /// Objects that were deleted, here or by another context.
    public internal(set) var deleted: Set<ManagedObject> = []
    /// Objects whose values were replaced: by merging, refreshing or rolling back.
    public internal(set) var refreshed: Set<ManagedObject> = []
    /// Objects whose store was removed. They must not be used any more.
    public internal(set) var invalidated: Set<ManagedObject> = []
    /// Whether the context was reset, so that no object of it may be used any more.
    public internal(set) var invalidatedAll = false

    /// Whether nothing changed.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty && !invalidatedAll
    }
}
