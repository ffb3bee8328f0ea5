import DuramenModel
import DuramenStore

/// What a part knows of what others did: which states are merged, and which objects others deleted.
///
/// What changes while a fetch is under way is noted then, and only then.
struct MergeLedger {
    /// Whether the part hears of saves: from the first read or registration on.
    private(set) var isSubscribed = false
    /// What other contexts deleted since the last save here; some objects may be forgotten since.
    private(set) var deletedElsewhere: Set<ManagedObjectID> = []
    /// What other contexts deleted since there are changes here, which may refer to it.
    private(set) var deletionsSinceChanges: Set<ManagedObjectID> = []
    /// Objects that others deleted and that were inserted again here, until the deletions are
    /// merged.
    private(set) var insertedAgain: Set<ManagedObjectID> = []
    /// What changed while fetches off the owner were under way.
    private(set) var meanwhile = ChangesMeanwhile()
    /// What changed in the parent since this part merged it last.
    private(set) var parentNews = ParentNews()
    /// Whether this part saved while others' saves waited to be merged, which may be older then.
    private(set) var hasSavedSinceDrain = false
    /// The state that this part last made.
    private(set) var savedGeneration = StoreGeneration(rawValue: .min)
    /// A state of which everything has been merged, and all that came before it.
    private(set) var mergedGeneration = StoreGeneration(rawValue: .min)

    // MARK: - Hearing of saves

    mutating func beginListening() { isSubscribed = true }

    mutating func stopListening() { isSubscribed = false }

    // MARK: - States

    /// Notes what state a save of this part made.
    ///
    /// - Parameter hasWaiting: Whether others' saves are still to be merged.
    mutating func recordSave(of generation: StoreGeneration, hasWaiting: Bool) {
        savedGeneration = generation
        recordSave(hasWaiting: hasWaiting)
    }

    /// Notes that the store may show more than is merged, if others' saves wait.
    mutating func recordSave(hasWaiting: Bool) {
        hasSavedSinceDrain = hasSavedSinceDrain || hasWaiting
    }

    /// Notes that everything is known that was saved up to a state.
    mutating func markMerged(upTo generation: StoreGeneration) {
        mergedGeneration = max(mergedGeneration, generation)
    }

    /// Notes that all that waited is merged.
    mutating func finishDraining() {
        hasSavedSinceDrain = false
        insertedAgain = []
    }

    // MARK: - Deletions

    /// Notes that somebody else deleted an object, which is listed among the deleted ones here.
    mutating func addDeletedElsewhere(_ id: ManagedObjectID) { deletedElsewhere.insert(id) }

    mutating func forgetDeletedElsewhere(_ id: ManagedObjectID) { deletedElsewhere.remove(id) }

    mutating func forgetDeletedElsewhere(where isForgotten: (ManagedObjectID) -> Bool) {
        if !deletedElsewhere.isEmpty {
            deletedElsewhere = deletedElsewhere.filter { !isForgotten($0) }
        }
    }

    mutating func forgetAllDeletedElsewhere() { deletedElsewhere = [] }

    /// Notes what others deleted that changes here may refer to.
    mutating func recordDeletions(_ ids: some Sequence<ManagedObjectID>) {
        deletionsSinceChanges.formUnion(ids)
        deletionsSinceChanges.subtract(insertedAgain)
    }

    /// Forgets what others deleted, since no change here can refer to it any more.
    mutating func forgetDeletions() { deletionsSinceChanges = [] }

    /// Notes that somebody inserted an object again that others had deleted.
    mutating func recordReturn(of id: ManagedObjectID) {
        deletionsSinceChanges.remove(id)
        // The context may not have the object any more.
        deletedElsewhere.remove(id)
    }

    /// Notes that an object that others deleted is inserted again here.
    mutating func addInsertedAgain(_ id: ManagedObjectID) { insertedAgain.insert(id) }

    mutating func forgetInsertedAgain(_ id: ManagedObjectID) {
        if !insertedAgain.isEmpty { insertedAgain.remove(id) }
    }

    // MARK: - While fetches are under way

    mutating func beginFetch() -> Int { meanwhile.beginFetch() }

    mutating func endFetch() { meanwhile.endFetch() }

    mutating func recordMeanwhile(_ ids: some Sequence<ManagedObjectID>) { meanwhile.record(ids) }

    mutating func recordEverythingMeanwhile() { meanwhile.recordEverything() }

    // MARK: - The parent

    mutating func recordParent(_ ids: some Sequence<ManagedObjectID>) {
        parentNews.ids.formUnion(ids)
    }

    mutating func recordEverythingOfParent() { parentNews.isEverything = true }

    /// Returns what changed in the parent, and forgets it.
    mutating func takeParentNews() -> ParentNews {
        defer { parentNews = ParentNews() }
        return parentNews
    }

    // MARK: - Checking

    /// What is wrong with the ledger; nil when all is well.
    var brokenInvariant: String? {
        meanwhile.isWanted || meanwhile.time == 0
            ? nil : "changes are noted although no fetch is under way"
    }
}

/// The objects of the parent that a child reads again when its unit of work ends.
struct ParentNews {
    var ids: Set<ManagedObjectID> = []
    /// Whether it may be any object.
    var isEverything = false
}
