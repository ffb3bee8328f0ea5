import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore
import Synchronization

/// Makes the indexes of to-ones when something first needs them.
///
/// A new store has none: rows that come in before the first question are written for half the cost,
/// and an index made over all of them at once is smaller and cheaper too. When an index cannot be made
/// at the moment, reading goes on without it; only its speed depends on it.
final class IndexKeeper: Sendable {
    private let core: StoreCore
    private let writer: StoreWriter
    private let isComplete: Atomic<Bool>
    private let state: Locked<State>

    private struct State {
        /// Places in the schema's list.
        var missing: Set<Int>
        /// When somebody was in the way last, nothing is tried before.
        var retryAt: ContinuousClock.Instant?
    }

    /// How long a reader waits for another process that writes.
    private static let patienceSeconds = 0.05
    private static let pause = Duration.seconds(1)

    init(core: StoreCore, writer: StoreWriter, missing: Set<Int>) {
        self.core = core
        self.writer = writer
        isComplete = Atomic(missing.isEmpty)
        state = Locked(State(missing: missing))
    }

    /// Notes that a snapshot is about to go from the far side of to-ones to the near one.
    func need(_ toOnes: [SQLToOne], on snapshot: SQLiteSnapshot) {
        if toOnes.isEmpty || isComplete.load(ordering: .acquiring) { return }
        let wanted = Set(
            toOnes.compactMap { core.schema.toOneIndex(slot: $0.slot, of: $0.entity) })
        let places = state.withLock { state in
            if let retryAt = state.retryAt, ContinuousClock.now < retryAt { return [Int]() }
            return state.missing.intersection(wanted).sorted()
        }
        if places.isEmpty { return }
        let isMade = writer.makeIndexes(
            places.map { core.schema.indexes[$0].creation }, for: snapshot,
            withinSeconds: Self.patienceSeconds)
        if isMade {
            noteMade(places)
        } else {
            state.withLock { $0.retryAt = .now + Self.pause }
        }
    }

    /// The statements for all that are missing.
    var missingStatements: [String] {
        state.withLock { $0.missing.sorted() }.map { core.schema.indexes[$0].creation }
    }

    /// Notes that ``missingStatements`` were run.
    func noteAllMade() { noteMade(Array(core.schema.indexes.indices)) }

    private func noteMade(_ places: [Int]) {
        let isEmpty = state.withLock { state in
            state.missing.subtract(places)
            return state.missing.isEmpty
        }
        if isEmpty { isComplete.store(true, ordering: .releasing) }
    }
}
