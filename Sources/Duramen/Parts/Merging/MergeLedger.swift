import DuramenModel
import DuramenStore

/// A record of changes by others: which states are merged, and which objects others deleted.
///
/// Changes during a fetch are recorded only while the fetch is in progress.
struct MergeLedger {
    /// Whether the part is notified of saves: from the first read or registration on.
    private(set) var isSubscribed = false
    /// The objects that other contexts deleted since the last save here; some may be released.
    private(set) var deletedElsewhere: Set<ManagedObjectID> = []
    /// The objects that other contexts deleted since there are changes here, which may refer to
    /// them.
    private(set) var deletionsSinceChanges: Set<ManagedObjectID> = []
    /// Whether others may have deleted more since there are changes here, because saves with
    /// unknown changes were merged.
    private(set) var hasMissedDeletions = false
    /// Objects that others deleted and that were inserted again here, until the deletions are
    /// merged.
    private(set) var insertedAgain: Set<ManagedObjectID> = []
    /// The changes during fetches off the owner.
    private(set) var meanwhile = ChangesMeanwhile()
    /// The changes of the parent since this part last merged them.
    private(set) var parentNews = ParentNews()
    /// Whether this part saved before it merged queued saves, which may be older.
    private(set) var hasSavedSinceDrain = false
    /// The state that this part saved last.
    private(set) var savedGeneration = StoreGeneration(rawValue: .min)
    /// The newest state up to which everything is merged.
    private(set) var mergedGeneration = StoreGeneration(rawValue: .min)

    // MARK: - Subscribing

    mutating func beginListening() { isSubscribed = true }

    mutating func stopListening() { isSubscribed = false }

    // MARK: - States

    /// Records the state that a save of this part created.
    ///
    /// - Parameters:
    ///   - generation: The state.
    ///   - hasWaiting: Whether other saves are still to be merged.
    mutating func recordSave(of generation: StoreGeneration, hasWaiting: Bool) {
        savedGeneration = generation
        recordSave(hasWaiting: hasWaiting)
    }

    /// Records that the store may be newer than the merged state, if other saves are queued.
    mutating func recordSave(hasWaiting: Bool) {
        hasSavedSinceDrain = hasSavedSinceDrain || hasWaiting
    }

    /// Records that everything saved up to a state is known.
    mutating func markMerged(upTo generation: StoreGeneration) {
        mergedGeneration = max(mergedGeneration, generation)
    }

    /// Records that all queued saves are merged.
    mutating func finishDraining() {
        hasSavedSinceDrain = false
        insertedAgain = []
    }

    // MARK: - Deletions

    /// Records an object that another save deleted, as one of the deleted objects here.
    mutating func addDeletedElsewhere(_ id: ManagedObjectID) { deletedElsewhere.insert(id) }

    mutating func forgetDeletedElsewhere(_ id: ManagedObjectID) { deletedElsewhere.remove(id) }

    mutating func forgetDeletedElsewhere(where isForgotten: (ManagedObjectID) -> Bool) {
        if !deletedElsewhere.isEmpty {
            deletedElsewhere = deletedElsewhere.filter { !isForgotten($0) }
        }
    }

    mutating func forgetAllDeletedElsewhere() { deletedElsewhere = [] }

    /// Records deletions of others that changes here may refer to.
    mutating func recordDeletions(_ ids: some Sequence<ManagedObjectID>) {
        deletionsSinceChanges.formUnion(ids)
        deletionsSinceChanges.subtract(insertedAgain)
    }

    /// Drops the deletions of others, because no change here can refer to them any more.
    mutating func forgetDeletions() {
        deletionsSinceChanges = []
        hasMissedDeletions = false
    }

    /// Records that saves with unknown changes were merged while there are changes here.
    mutating func recordUnknownDeletions() { hasMissedDeletions = true }

    /// Records that another save inserted a deleted object again.
    mutating func recordReturn(of id: ManagedObjectID) {
        deletionsSinceChanges.remove(id)
        // The object may not be registered any more.
        deletedElsewhere.remove(id)
    }

    /// Records that an object that others deleted is inserted again here.
    mutating func addInsertedAgain(_ id: ManagedObjectID) { insertedAgain.insert(id) }

    mutating func forgetInsertedAgain(_ id: ManagedObjectID) {
        if !insertedAgain.isEmpty { insertedAgain.remove(id) }
    }

    // MARK: - During fetches

    mutating func beginFetch() -> Int { meanwhile.beginFetch() }

    mutating func endFetch() { meanwhile.endFetch() }

    mutating func recordMeanwhile(_ ids: some Sequence<ManagedObjectID>) { meanwhile.record(ids) }

    mutating func recordEverythingMeanwhile() { meanwhile.recordEverything() }

    // MARK: - The parent

    mutating func recordParent(_ ids: some Sequence<ManagedObjectID>) {
        parentNews.ids.formUnion(ids)
    }

    mutating func recordEverythingOfParent() { parentNews.isEverything = true }

    /// Returns the changes of the parent, and clears them.
    mutating func takeParentNews() -> ParentNews {
        defer { parentNews = ParentNews() }
        return parentNews
    }

    // MARK: - Checking

    /// The broken invariant of the ledger; nil if there is none.
    var brokenInvariant: String? {
        meanwhile.isWanted || meanwhile.time == 0
            ? nil : "changes are noted although no fetch is under way"
    }
}

/// The objects of the parent that a child reloads at the end of its unit of work.
struct ParentNews {
    var ids: Set<ManagedObjectID> = []
    /// Whether any object may have changed.
    var isEverything = false
}
