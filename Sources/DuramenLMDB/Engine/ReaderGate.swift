import DuramenModel
import DuramenStore

/// Counts the transactions of this process that read, so that the map can grow while there is none.
final class ReaderGate: Sendable {
    private struct State {
        var inside = 0
        var isClosed = false
    }

    private let state = Locked(State())

    /// Waits while the map grows, and notes that a reader begins.
    func enter() {
        while !state.withLock({ state in
            if state.isClosed { return false }
            state.inside += 1
            return true
        }) {
            SystemCalls.sleep(microseconds: 100)
        }
    }

    /// Notes that a reader has ended.
    func leave() { state.withLock { $0.inside -= 1 } }

    /// Runs `body` while no reader is inside.
    ///
    /// - Throws: `.storeBusy` when one stays until the deadline.
    func withoutReaders(
        withinSeconds seconds: Double, path: String, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        state.withLock { $0.isClosed = true }
        defer { state.withLock { $0.isClosed = false } }
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
        try body()
    }
}
