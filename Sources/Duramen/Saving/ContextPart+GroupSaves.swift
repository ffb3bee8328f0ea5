import DuramenStore

extension ContextPart {
    /// Passes a save to the store together with those of other contexts, and notifies the other
    /// contexts.
    ///
    /// - Returns: The conflicts that prevented the save; empty if it was written; nil if it must be
    ///   made alone.
    func commitInGroup(_ pending: PendingSave) throws(StoreError) -> [MetConflict]? {
        // A pinned context then moves to the state of its own save, which no group shows.
        guard let queue = connection.saveQueue, !isPinned else { return nil }
        // Taken before the check, so that the leader notices later saves.
        let mark = inbox.mark
        // Alone, the save learns of all deletions, and throws.
        if !missingEnds(pending).isEmpty { return nil }
        let lost = lostEdgesWaiting(pending)
        var conflicts: [MetConflict] = []
        let isDone = try connection.write(
            GroupedSave(pending.changes, inbox: inbox, mark: mark), queue
        ) { result throws(StoreError) in
            pending.end(lost)
            countRoundTrip(RoundTrip(.save, ""))
            conflicts = try complete(pending, result)
        }
        return isDone ? conflicts : nil
    }
}
