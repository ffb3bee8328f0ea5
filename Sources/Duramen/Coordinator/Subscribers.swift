import DuramenModel
import Synchronization

/// The inboxes of the contexts over one store that are notified of its saves.
///
/// A context subscribes when it first reads or registers something, before its snapshot is taken.
/// If no object is registered at the end of a unit of work, the context has nothing to merge and
/// its inbox is idle. The next save then removes the inbox instead of waking the context.
final class Subscribers: Sendable {
    private struct State {
        var inboxes: [ObjectIdentifier: Inbox] = [:]
        /// Inboxes that received saves, by the owner that merges them. Some may have been drained
        /// since.
        var filled: [ObjectIdentifier: [ObjectIdentifier: Inbox]] = [:]
    }

    private let state = Locked(State())
    private let wakes = Atomic<Int>(0)

    /// The number of times that saves woke a context.
    var wakeCount: Int { wakes.load(ordering: .relaxed) }

    func add(_ inbox: Inbox) {
        state.withLock { $0.inboxes[ObjectIdentifier(inbox)] = inbox }
    }

    func remove(_ inbox: Inbox) {
        let owner = inbox.ownerID
        state.withLock { state in
            state.inboxes[ObjectIdentifier(inbox)] = nil
            if let owner { state.filled[owner]?[ObjectIdentifier(inbox)] = nil }
        }
    }

    /// Notifies all subscribers except the sender of a save.
    ///
    /// - Parameters:
    ///   - changes: The changes; nil if anything may have changed.
    ///   - sender: The inbox of the context that saved.
    ///   - model: The store's model, for counting the bytes of rows.
    func post(_ changes: SavedChanges?, from sender: Inbox?, _ model: ManagedObjectModel) {
        let inboxes = state.withLock { $0.inboxes.values.filter { $0 !== sender } }
        if inboxes.isEmpty { return }
        let byteCount = changes?.byteCount(model) ?? 0
        var filled: [(owner: ObjectIdentifier, inbox: Inbox)] = []
        var idle: [Inbox] = []
        for inbox in inboxes {
            switch inbox.post(changes, byteCount: byteCount) {
            case .filled(let owner, let isFirst):
                if isFirst { wakes.add(1, ordering: .relaxed) }
                // Also if the inbox had saves before: their sender may not have recorded it yet.
                if let owner { filled.append((owner, inbox)) }
            case .ignored: break
            case .idle: idle.append(inbox)
            }
        }
        if filled.isEmpty, idle.isEmpty { return }
        state.withLock { state in
            for (owner, inbox) in filled {
                state.filled[owner, default: [:]][ObjectIdentifier(inbox)] = inbox
            }
            // The context may have subscribed again since.
            for inbox in idle where !inbox.isSubscribed {
                state.inboxes[ObjectIdentifier(inbox)] = nil
            }
        }
    }

    /// Whether contexts of an owner may have saves to merge.
    func mayHaveWaiting(for owner: any Actor) -> Bool {
        state.withLock { $0.filled[ObjectIdentifier(owner)]?.isEmpty == false }
    }

    /// Merges pending saves into the contexts of an owner. Call it in that isolation, between two
    /// units of work.
    func drain(_ owner: any Actor) {
        let filled = state.withLock { $0.filled.removeValue(forKey: ObjectIdentifier(owner)) }
        guard let filled else { return }
        for inbox in filled.values where inbox.hasWaiting { inbox.endUnit() }
    }

    /// Makes every subscriber end its unit of work soon.
    func scheduleEndOfUnit() {
        for inbox in state.withLock({ Array($0.inboxes.values) }) { inbox.scheduleEndOfUnit() }
    }
}

extension PersistentStoreCoordinator {
    /// Whether contexts of an isolation may have saves to merge.
    func mayHaveWaiting(for isolation: any Actor) -> Bool {
        connections.contains { $0.subscribers.mayHaveWaiting(for: isolation) }
    }

    /// Merges pending saves into the contexts of the calling isolation, between two units of work.
    /// So the caller of an awaited call sees the call's saves.
    func drain(in isolation: isolated (any Actor)?) {
        guard let isolation else { return }
        for connection in connections { connection.subscribers.drain(isolation) }
    }
}
