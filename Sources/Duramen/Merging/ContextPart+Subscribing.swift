import DuramenModel
import DuramenStore

extension ContextPart {
    /// Makes sure that this part hears of saves. Call it before reading or registering anything.
    ///
    /// - Returns: Whether it was not, and so had nothing that a save could have changed.
    @discardableResult @inline(__always)
    func subscribe() -> Bool { ledger.isSubscribed ? false : subscribeNow() }

    @inline(never)
    private func subscribeNow() -> Bool {
        ledger.beginListening()
        if inbox.subscribe() { connection.subscribers.add(inbox) }
        return true
    }

    /// Lets saves pass by until something is read or registered again, if nothing is.
    ///
    /// Call it at the end of a unit of work, when there is no snapshot. Children hear of saves
    /// through their parents.
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
