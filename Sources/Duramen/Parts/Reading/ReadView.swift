import DuramenModel
import DuramenStore

/// What a part reads from: a state of its store, and the snapshot of that state which the unit of
/// work keeps.
///
/// A snapshot that is kept is of ``store``, and shows ``generation``: whoever changes that lets the
/// snapshot go.
struct ReadView {
    /// The store that ``snapshot`` is of, which must live as long.
    private(set) var store: any PersistentStore
    /// Which state is read.
    private(set) var generation = QueryGeneration.newest
    /// The state that faults are read from, until the unit of work ends.
    private(set) var snapshot: (any StoreSnapshot)?
    /// How old, in seconds, the snapshot may get.
    private var ageLimit = Double.infinity
    /// When the snapshot was taken, if it may get stale.
    private var snapshotTime: ContinuousClock.Instant?
    /// Blocks of rows that are linked in the order of their fetch.
    private var linkedBlocks: [RowStorage] = []
    /// Where rows that are read one by one go.
    let singleRows = RowPool()

    init(of store: any PersistentStore) { self.store = store }

    // MARK: - The snapshot

    /// Keeps a snapshot for the unit of work.
    mutating func keep(_ snapshot: any StoreSnapshot, of store: any PersistentStore) {
        if self.store !== store { self.store = store }
        self.snapshot = snapshot
        snapshotTime = ageLimit < .infinity ? .now : nil
    }

    /// Lets the snapshot go: what is read next is what the store has by then.
    @inline(__always)
    mutating func letGo() { snapshot = nil }

    /// Lets the snapshot go unless the store has nothing newer.
    mutating func letGoUnlessNewest() {
        if generation.isPinned || snapshot?.isNewest != true { snapshot = nil }
    }

    /// Has a snapshot get stale after so many seconds.
    mutating func limitAge(to seconds: Double) { ageLimit = seconds }

    /// Whether the snapshot is as old as it may get.
    @inline(__always)
    var isStale: Bool { ageLimit < .infinity && isOld }

    private var isOld: Bool {
        guard let snapshotTime else { return true }
        return (.now - snapshotTime) / .seconds(1) >= ageLimit
    }

    // MARK: - The state

    /// Reads another state from now on.
    mutating func show(_ generation: QueryGeneration) {
        self.generation = generation
        snapshot = nil
    }

    /// Pins a view that awaits its state to one that was taken just now.
    mutating func pin(to pinned: PinnedSnapshot) {
        if case .awaited = generation { show(.pinned(pinned)) }
    }

    // MARK: - Blocks

    /// Notes that a block follows another one of the same fetch.
    mutating func link(_ block: RowStorage, after last: RowStorage) {
        last.next = block
        linkedBlocks.append(last)
    }

    /// Takes the links between blocks away, which keep later ones alive with earlier ones.
    mutating func unlinkBlocks() {
        for block in linkedBlocks { block.next = nil }
        linkedBlocks = []
    }

    // MARK: - Checking

    /// What is wrong with the view; nil when all is well.
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
