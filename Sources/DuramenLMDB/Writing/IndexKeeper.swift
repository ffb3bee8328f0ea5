import DuramenModel
import DuramenStore
import Synchronization

/// Has the indexes of to-ones made when something first needs them.
///
/// A new store has none: rows that come in before the first question are written for less, and an index made
/// over all of them at once is smaller and cheaper too. When an index cannot be made at the moment, reading
/// goes on without it; only its speed depends on it.
final class IndexKeeper: Sendable {
    private let schema: StoreSchema
    private let writer: StoreWriter
    private let isComplete: Atomic<Bool>
    private let state: Locked<State>

    private struct State {
        var missing: Set<Int>
        /// When somebody was in the way last, nothing is tried before.
        var retryAt: ContinuousClock.Instant?
    }

    /// How long a reader waits for another process that writes.
    private static let patienceSeconds = 0.05
    private static let pause = Duration.seconds(1)

    init(schema: StoreSchema, writer: StoreWriter) {
        self.schema = schema
        self.writer = writer
        let missing = schema.indexes.indices.filter { schema.indexes[$0].isMadeWhenNeeded }
        isComplete = Atomic(missing.isEmpty)
        state = Locked(State(missing: Set(missing)))
    }

    /// Notes that a snapshot is about to need indexes.
    func need(_ places: [Int], on snapshot: LMDBSnapshot) {
        if places.isEmpty || isComplete.load(ordering: .acquiring) { return }
        let missing = state.withLock { state in
            if let retryAt = state.retryAt, ContinuousClock.now < retryAt { return [Int]() }
            return places.filter { state.missing.contains($0) }
        }
        if missing.isEmpty { return }
        if writer.makeIndexes(missing, for: snapshot, withinSeconds: Self.patienceSeconds) {
            let isEmpty = state.withLock { state in
                state.missing.subtract(missing)
                return state.missing.isEmpty
            }
            if isEmpty { isComplete.store(true, ordering: .releasing) }
        } else {
            state.withLock { $0.retryAt = .now + Self.pause }
        }
    }
}
