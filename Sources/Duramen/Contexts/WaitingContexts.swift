import Dispatch
import DuramenModel

/// A record of waiting queues, so that a circle traps with its names instead of hanging.
enum WaitingContexts {
    private typealias Identity = ContextExecutor.Identity

    private struct State {
        /// The queues that each waiting queue waits for.
        var waits: [ObjectIdentifier: [Identity]] = [:]

        /// Returns the path from a queue to one that it waits for, both included; nil if there is
        /// none.
        func path(from start: Identity, to end: ObjectIdentifier) -> [Identity]? {
            if start.id == end { return [start] }
            for next in waits[start.id] ?? [] {
                if let path = path(from: next, to: end) { return [start] + path }
            }
            return nil
        }
    }

    private static let state = Locked(State())

    /// Runs a function that blocks the caller's queue until the given executors have done their
    /// work.
    static func wait(for executors: [ContextExecutor], _ body: () -> Void) {
        guard let waiting = ContextExecutor.current else { return body() }
        state.withLock { state in
            for executor in executors {
                if let path = state.path(from: executor.identity, to: waiting.id) {
                    trap([waiting] + path)
                }
            }
            state.waits[waiting.id, default: []] += executors.map(\.identity)
        }
        body()
        state.withLock { state in
            state.waits[waiting.id]?.removeLast(executors.count)
            if state.waits[waiting.id]?.isEmpty == true { state.waits[waiting.id] = nil }
        }
    }

    private static func trap(_ circle: [Identity]) -> Never {
        let names = circle.map(\.label).joined(separator: " → ")
        fatalError(
            "Duramen: contexts wait for each other in a circle: \(names). Await perform instead of waiting "
                + "with performAndWait or waitUntilFinished.")
    }
}
