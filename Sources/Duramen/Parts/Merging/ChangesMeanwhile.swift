import DuramenModel
import DuramenStore

/// What changed of the saved objects of a context while fetches off the owner were under way: the
/// rows that these bring may be older.
struct ChangesMeanwhile {
    /// How many fetches are under way. Without any, nothing is noted.
    private var fetchCount = 0
    /// Grows with each change.
    private(set) var time = 0
    private var times: [ManagedObjectID: Int] = [:]
    /// When anything may have changed.
    private var timeOfEverything = 0

    mutating func beginFetch() -> Int {
        fetchCount += 1
        return time
    }

    mutating func endFetch() {
        fetchCount -= 1
        if fetchCount == 0 { self = ChangesMeanwhile() }
    }

    /// Whether changes are to be noted.
    var isWanted: Bool { fetchCount > 0 }

    mutating func record(_ ids: some Sequence<ManagedObjectID>) {
        if !isWanted { return }
        time += 1
        for id in ids { times[id] = time }
    }

    mutating func recordEverything() {
        if !isWanted { return }
        time += 1
        timeOfEverything = time
    }

    /// Whether an object may have changed since a time.
    func mayConcern(_ id: ManagedObjectID, since past: Int) -> Bool {
        timeOfEverything > past || times[id, default: 0] > past
    }
}

extension ContextPart {
    /// Notes changes until the reading ends, and says the time.
    func beginReadingOffOwner() -> Int {
        subscribe()
        return ledger.beginFetch()
    }

    /// Notes what was saved, here or elsewhere.
    func recordMeanwhile(_ changes: SavedChanges) {
        if !ledger.meanwhile.isWanted { return }
        let rows = changes.inserts + changes.updates.map(\.row) + changes.deletes
        ledger.recordMeanwhile(rows.map { $0.objectID(in: model, store: handle.store) })
    }
}
