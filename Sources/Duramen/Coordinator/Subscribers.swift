import DuramenModel
import Synchronization

/// The contexts over one store that are to hear of its saves, by their inboxes.
///
/// A context subscribes with what it reads or registers first, before its snapshot is taken. One
/// that has nothing registered at the end of a unit of work has nothing to merge: its inbox is idle
/// then, and the next save takes it out of here instead of waking it.
final class Subscribers: Sendable {
    private struct State {
        var inboxes: [ObjectIdentifier: Inbox] = [:]
        /// Inboxes that something came into, by the owner that is to merge it. Some may have been
        /// drained since.
        var filled: [ObjectIdentifier: [ObjectIdentifier: Inbox]] = [:]
    }

    private let state = Locked(State())
    private let wakes = Atomic<Int>(0)

    /// How often saves woke a context.
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

    /// Tells all subscribers but the sender what was saved.
    ///
    /// - Parameters:
    ///   - changes: Nil when anything may have changed.
    ///   - model: The store's, by which the bytes of rows are counted.
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
                // Behind others too: whoever posted those may not have noted it yet.
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
            // It may have subscribed again since.
            for inbox in idle where !inbox.isSubscribed {
                state.inboxes[ObjectIdentifier(inbox)] = nil
            }
        }
    }

    /// Whether something may wait for the contexts of an owner.
    func mayHaveWaiting(for owner: any Actor) -> Bool {
        state.withLock { $0.filled[ObjectIdentifier(owner)]?.isEmpty == false }
    }

    /// Merges what waits for the contexts of an owner. Call it in that isolation, between two units
    /// of work.
    func drain(_ owner: any Actor) {
        let filled = state.withLock { $0.filled.removeValue(forKey: ObjectIdentifier(owner)) }
        guard let filled else { return }
        for inbox in filled.values where inbox.hasWaiting { inbox.endUnit() }
    }

    /// Has every subscriber end its unit of work soon.
    func scheduleEndOfUnit() {
        for inbox in state.withLock({ Array($0.inboxes.values) }) { inbox.scheduleEndOfUnit() }
    }
}

extension PersistentStoreCoordinator {
    /// Whether saves may wait for contexts of an isolation.
    func mayHaveWaiting(for isolation: any Actor) -> Bool {
        connections.contains { $0.subscribers.mayHaveWaiting(for: isolation) }
    }

    /// Merges what waits for contexts of the isolation that this is called in, between two units of
    /// work, so that an awaited call shows its caller what it saved.
    func drain(in isolation: isolated (any Actor)?) {
        guard let isolation else { return }
        for connection in connections { connection.subscribers.drain(isolation) }
    }
}
