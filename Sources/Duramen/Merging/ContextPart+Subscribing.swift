import DuramenModel
import DuramenStore

extension ContextPart {
    /// Subscribes this part to saves, if it is not subscribed. Call it before reading or
    /// registering anything.
    ///
    /// - Returns: Whether the part subscribed now, so that it had nothing that a save could change.
    @discardableResult @inline(__always)
    func subscribe() -> Bool { ledger.isSubscribed ? false : subscribeNow() }

    @inline(never)
    private func subscribeNow() -> Bool {
        ledger.beginListening()
        if inbox.subscribe() { connection.subscribers.add(inbox) }
        return true
    }

    /// Unsubscribes from saves until the next read or registration, if nothing is registered.
    ///
    /// Call it at the end of a unit of work, after the snapshot was released. Children are notified
    /// of saves through their parents.
    func unsubscribeIfIdle() {
        guard ledger.isSubscribed, parentPart == nil, events == nil, !ledger.meanwhile.isWanted,
            undoRecorder == nil, savePhase.unresolved == nil, !context.saveTurns.isTaken,
            !hasChildren,
            tables.allSatisfy({ $0.count == 0 })
        else { return }
        ledger.stopListening()
        inbox.becomeIdle()
    }
}
