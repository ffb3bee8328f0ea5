import DuramenFileStore
import DuramenModel
import DuramenStore
import Synchronization

/// Counts the transactions of this process, so that the map can grow while there are none.
final class MapGate: Sendable {
    /// The number of transactions inside, and whether the gate is closed. Every read passes here,
    /// so it uses no lock.
    private let state = Atomic<Int>(0)
    private static let closed = 1 << 62
    // Held while the map grows, so that only one thread closes and opens the gate.
    private let growth = Locked<Void>(())

    /// Waits while the map grows, and counts a transaction.
    func enter() {
        while state.add(1, ordering: .acquiringAndReleasing).oldValue & Self.closed != 0 {
            leave()
            SystemCalls.sleep(microseconds: 100)
        }
    }

    /// Counts the end of a transaction.
    func leave() { state.subtract(1, ordering: .acquiringAndReleasing) }

    /// Calls `body` while no transaction is inside; the caller's own has ended.
    ///
    /// - Throws: `.storeBusy` when a transaction continues until the deadline.
    func whileEmpty(
        withinSeconds seconds: Double, path: String, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try growth.withLock { (_) throws(StoreError) in
            state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing)
            defer { state.bitwiseAnd(~Self.closed, ordering: .acquiringAndReleasing) }
            try waitUntilEmpty(withinSeconds: seconds, path: path)
            try body()
        }
    }

    private func waitUntilEmpty(
        withinSeconds seconds: Double, path: String
    ) throws(StoreError) {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while state.load(ordering: .acquiring) & ~Self.closed > 0 {
            if ContinuousClock.now >= deadline {
                throw StoreError(
                    .storeBusy,
                    "'\(path)' needs more address space, and snapshots were held for longer than "
                        + "\(seconds) s; release them.")
            }
            SystemCalls.sleep(microseconds: 500)
        }
    }
}
