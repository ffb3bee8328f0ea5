import Dispatch
import DuramenModel

/// The saves that wait to be written to a store that groups saves.
///
/// ```
///   a save arrives ──► nobody leads ──► it leads: takes all that wait, writes them
///                  └─► another save leads ──► it sleeps ──► its result, or it leads next
/// ```
final class SaveQueue: Sendable {
    /// The most saves in a group.
    static let groupLimit = 64

    private struct State {
        /// The waiting saves in the order of arrival. The first leads, once it has been woken.
        var waiting: [GroupedSave] = []
        var isLed = false
        var gathering = SaveGathering()
        /// Signaled when all expected saves wait; nil unless the leader waits for them.
        var isComplete: DispatchSemaphore?
    }

    private let state = Locked(State())

    /// Adds a save.
    ///
    /// - Returns: Whether the caller leads the next group. It then calls ``pass()`` in the end.
    func join(_ save: GroupedSave) -> Bool {
        state.withLock { state in
            state.waiting.append(save)
            if state.waiting.count >= state.gathering.expected { state.isComplete?.signal() }
            defer { state.isLed = true }
            return !state.isLed
        }
    }

    /// Lets the leader wait a moment for saves that are likely to come.
    func gather() {
        let wait = state.withLock { state -> (DispatchSemaphore, Int64)? in
            let patience = state.gathering.patience(waiting: state.waiting.count)
            guard let patience else { return nil }
            let isComplete = DispatchSemaphore(value: 0)
            state.isComplete = isComplete
            return (isComplete, patience)
        }
        guard let (isComplete, nanoseconds) = wait else { return }
        let result = isComplete.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
        state.withLock { state in
            state.isComplete = nil
            state.gathering.recordWait(isComplete: result == .success)
        }
    }

    /// Records a call of the store, before its results are handled.
    func recordCall(of count: Int, nanoseconds: Int64) {
        state.withLock { state in
            state.gathering.recordCall(
                of: count, waiting: state.waiting.count, nanoseconds: nanoseconds)
        }
    }

    /// Removes and returns the saves of the next group. The first is the leader's.
    func take(atMost limit: Int) -> [GroupedSave] {
        state.withLock { state in
            defer { state.waiting.removeFirst(min(limit, state.waiting.count)) }
            return Array(state.waiting.prefix(limit))
        }
    }

    /// Removes a save that cannot be written, if it still waits.
    func remove(_ save: GroupedSave) {
        state.withLock { $0.waiting.removeAll { $0 === save } }
    }

    /// Lets the save that has waited longest lead the next group.
    func pass() {
        let next = state.withLock { state in
            state.isLed = !state.waiting.isEmpty
            return state.waiting.first
        }
        next?.wake(for: .lead)
    }

    /// The number of waiting saves.
    var count: Int { state.withLock { $0.waiting.count } }
}
