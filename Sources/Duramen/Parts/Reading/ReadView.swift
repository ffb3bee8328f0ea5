import DuramenModel
import DuramenStore

/// The state of its store that a part reads, and the snapshot of the unit of work.
///
/// The snapshot is of ``store`` and shows ``generation``: changing either releases the snapshot.
struct ReadView {
    /// The store of ``snapshot``, which must stay alive with it.
    private(set) var store: any PersistentStore
    /// The state that is read.
    private(set) var generation = QueryGeneration.newest
    /// The snapshot that faults are loaded from, until the unit of work ends.
    private(set) var snapshot: (any StoreSnapshot)?
    /// The maximum age of the snapshot, in seconds.
    private var ageLimit = Double.infinity
    /// The time when the snapshot was taken, if its age is limited.
    private var snapshotTime: ContinuousClock.Instant?
    /// Blocks of rows that are linked in the order of their fetch.
    private var linkedBlocks: [RowStorage] = []
    /// The blocks for rows that are loaded one by one.
    let singleRows = RowPool()

    init(of store: any PersistentStore) { self.store = store }

    // MARK: - The snapshot

    /// Keeps a snapshot for the unit of work.
    mutating func keep(_ snapshot: any StoreSnapshot, of store: any PersistentStore) {
        if self.store !== store { self.store = store }
        self.snapshot = snapshot
        snapshotTime = ageLimit < .infinity ? .now : nil
    }

    /// Releases the snapshot: the next read uses the newest state.
    @inline(__always)
    mutating func letGo() { snapshot = nil }

    /// Releases the snapshot unless it is the newest state.
    mutating func letGoUnlessNewest() {
        if generation.isPinned || snapshot?.isNewest != true { snapshot = nil }
    }

    /// Sets the maximum age of snapshots, in seconds.
    mutating func limitAge(to seconds: Double) { ageLimit = seconds }

    /// Whether the snapshot has reached its maximum age.
    @inline(__always)
    var isStale: Bool { ageLimit < .infinity && isOld }

    private var isOld: Bool {
        guard let snapshotTime else { return true }
        return (.now - snapshotTime) / .seconds(1) >= ageLimit
    }

    // MARK: - The state

    /// Sets the state to read.
    mutating func show(_ generation: QueryGeneration) {
        self.generation = generation
        snapshot = nil
    }

    /// Pins a view that awaits its state to a snapshot.
    mutating func pin(to pinned: PinnedSnapshot) {
        if case .awaited = generation { show(.pinned(pinned)) }
    }

    // MARK: - Blocks

    /// Links a block after another one of the same fetch.
    mutating func link(_ block: RowStorage, after last: RowStorage) {
        last.next = block
        linkedBlocks.append(last)
    }

    /// Removes the links between blocks, by which earlier blocks keep later ones alive.
    mutating func unlinkBlocks() {
        for block in linkedBlocks { block.next = nil }
        linkedBlocks = []
    }

    // MARK: - Checking

    /// The broken invariant of the view; nil if there is none.
    var brokenInvariant: String? {
        guard let snapshot else { return nil }
        switch generation {
        case .newest: return nil
        case .pinned(let pinned):
            return snapshot === pinned
                ? nil : "a snapshot is kept of another state than the pinned one"
        case .awaited, .absent: return "a snapshot is kept although no state is known"
        }
    }
}
