import DuramenModel
import DuramenStore

/// A record of saved objects that changed during fetches off the owner, whose rows may be older.
struct ChangesMeanwhile {
    /// The number of fetches in progress. Without any, nothing is recorded.
    private var fetchCount = 0
    /// Grows with each change.
    private(set) var time = 0
    private var times: [ManagedObjectID: Int] = [:]
    /// The last time at which anything may have changed.
    private var timeOfEverything = 0

    mutating func beginFetch() -> Int {
        fetchCount += 1
        return time
    }

    mutating func endFetch() {
        fetchCount -= 1
        if fetchCount == 0 { self = ChangesMeanwhile() }
    }

    /// Whether changes are recorded.
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
    /// Starts to record changes until the read ends, and returns the time.
    func beginReadingOffOwner() -> Int {
        subscribe()
        return ledger.beginFetch()
    }

    /// Records a save, made here or elsewhere.
    func recordMeanwhile(_ changes: SavedChanges) {
        if !ledger.meanwhile.isWanted { return }
        let rows = changes.inserts + changes.updates.map(\.row) + changes.deletes
        ledger.recordMeanwhile(rows.map { $0.objectID(in: model, store: handle.store) })
    }
}
