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
    }

    private let state = Locked(State())

    /// Adds a save.
    ///
    /// - Returns: Whether the caller leads the next group. It then calls ``pass()`` in the end.
    func join(_ save: GroupedSave) -> Bool {
        state.withLock { state in
            state.waiting.append(save)
            defer { state.isLed = true }
            return !state.isLed
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
