import DuramenModel
import Synchronization

/// The indexes that a store makes when something first needs them, by their places in a list of its
/// own.
///
/// A new store has none of them: rows that come in before the first question are written for less,
/// and an index made over all of them at once is smaller and cheaper too. When an index cannot be
/// made at the moment, reading goes on without it; only its speed depends on it.
public final class DeferredIndexes: Sendable {
    private struct State {
        var missing: Set<Int>
        /// When somebody was in the way last, nothing is tried before.
        var retryAt: ContinuousClock.Instant?
    }

    /// How long a reader waits for another process that writes, in seconds.
    public static let patienceSeconds = 0.05
    private static let pause = Duration.seconds(1)

    private let isComplete: Atomic<Bool>
    private let state: Locked<State>

    /// Begins with those that may be missing.
    public init(missing: some Sequence<Int>) {
        let missing = Set(missing)
        isComplete = Atomic(missing.isEmpty)
        state = Locked(State(missing: missing))
    }

    /// The indexes that may be missing, ascending.
    public var missing: [Int] { state.withLock { $0.missing.sorted() } }

    /// Has those made that are wanted and missing, unless somebody was in the way just before.
    ///
    /// - Parameters:
    ///   - wanted: The places, asked for only while any are missing.
    ///   - make: Makes indexes; whether it did.
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

    /// Notes that indexes are there.
    public func noteMade(_ places: [Int]) {
        let isEmpty = state.withLock { state in
            state.missing.subtract(places)
            return state.missing.isEmpty
        }
        if isEmpty { isComplete.store(true, ordering: .releasing) }
    }
}
