import DuramenModel
import Synchronization

/// The indexes that a store builds when they are first needed, by their numbers in a list of the
/// store.
///
/// A new store has none of them. Rows that are inserted before the first query are cheaper to
/// write. An index that is built over all of them at once is smaller and cheaper too. If an index
/// cannot be built at the moment, the query runs without it, only slower.
public final class DeferredIndexes: Sendable {
    private struct State {
        var missing: Set<Int>
        /// The time of the next attempt, after a failed one.
        var retryAt: ContinuousClock.Instant?
    }

    /// How long a reader waits for another process that writes, in seconds.
    public static let patienceSeconds = 0.05
    private static let pause = Duration.seconds(1)

    private let isComplete: Atomic<Bool>
    private let state: Locked<State>

    /// Creates a list of the indexes that may be missing.
    public init(missing: some Sequence<Int>) {
        let missing = Set(missing)
        isComplete = Atomic(missing.isEmpty)
        state = Locked(State(missing: missing))
    }

    /// The numbers of the indexes that may be missing, ascending.
    public var missing: [Int] { state.withLock { $0.missing.sorted() } }

    /// Builds needed indexes that are missing, unless an attempt has just failed.
    ///
    /// - Parameters:
    ///   - wanted: Returns the numbers of needed indexes; called only while any are missing.
    ///   - make: Builds indexes, and returns whether it did.
    @inline(__always)
    public func need(_ wanted: () -> [Int], make: ([Int]) -> Bool) {
        if isComplete.load(ordering: .acquiring) { return }
        makeMissing(wanted(), make)
    }

    private func makeMissing(_ wanted: [Int], _ make: ([Int]) -> Bool) {
        let places = state.withLock { state in
            if let retryAt = state.retryAt, ContinuousClock.now < retryAt { return [Int]() }
            return state.missing.intersection(wanted).sorted()
        }
        if places.isEmpty { return }
        if make(places) {
            noteMade(places)
        } else {
            state.withLock { $0.retryAt = .now + Self.pause }
        }
    }

    /// Records that indexes exist.
    public func noteMade(_ places: [Int]) {
        let isEmpty = state.withLock { state in
            state.missing.subtract(places)
            return state.missing.isEmpty
        }
        if isEmpty { isComplete.store(true, ordering: .releasing) }
    }
}
