import Dispatch
import DuramenModel

/// Which queues wait for which, so that a circle traps with a name instead of hanging.
enum WaitingContexts {
    private struct State {
        /// The queue that each waiting queue waits for.
        var waits: [ObjectIdentifier: (target: ObjectIdentifier, name: String)] = [:]
    }

    private static let state = Locked(State())

    static func wait(for executor: ContextExecutor, _ body: () -> Void) {
        guard let waiting = ContextExecutor.current else {
            body()
            return
        }
        let target = ObjectIdentifier(executor)
        state.withLock { state in
            var names = [executor.queue.label]
            var place = target
            while let next = state.waits[place] {
                names.append(next.name)
                place = next.target
                if place == waiting { trap(names) }
            }
            state.waits[waiting] = (target, executor.queue.label)
        }
        body()
        _ = state.withLock { $0.waits.removeValue(forKey: waiting) }
    }

    private static func trap(_ names: [String]) -> Never {
        fatalError(
            "Duramen: contexts wait for each other in a circle: "
                + names.joined(separator: " → ") + ". Use perform instead of performAndWait.")
    }
}
