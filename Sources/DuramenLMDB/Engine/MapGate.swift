import DuramenModel
import DuramenStore

/// Counts the transactions of this process, so that the map can grow while there is none.
final class MapGate: Sendable {
    private struct State {
        var inside = 0
        var isClosed = false
    }

    private let state = Locked(State())
    // Held while the map grows, so that one thread at a time closes and opens the gate.
    private let growth = Locked<Void>(())

    /// Waits while the map grows, and notes that a transaction begins.
    func enter() {
        while !state.withLock({ state in
            if state.isClosed { return false }
            state.inside += 1
            return true
        }) {
            SystemCalls.sleep(microseconds: 100)
        }
    }

    /// Notes that a transaction has ended.
    func leave() { state.withLock { $0.inside -= 1 } }

    /// Runs `body` while no transaction is inside; the caller's own has ended.
    ///
    /// - Throws: `.storeBusy` when one stays until the deadline.
    func whileEmpty(
        withinSeconds seconds: Double, path: String, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try growth.withLock { (_) throws(StoreError) in
            state.withLock { $0.isClosed = true }
            defer { state.withLock { $0.isClosed = false } }
            try waitUntilEmpty(withinSeconds: seconds, path: path)
            try body()
        }
    }

    private func waitUntilEmpty(
        withinSeconds seconds: Double, path: String
    ) throws(StoreError) {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while state.withLock({ $0.inside > 0 }) {
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
