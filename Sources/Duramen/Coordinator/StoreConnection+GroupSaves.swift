import Dispatch
import DuramenModel
import DuramenStore

// Each thread that saves handles the result of its own save, because its context belongs to it.
// The leader keeps the order of the store meanwhile, so the others run on its behalf: one after the
// other, in the order of their generations.
extension StoreConnection {
    /// Writes a save together with those that other contexts make at the same time.
    ///
    /// - Parameters:
    ///   - save: The save, already checked for references to deleted objects.
    ///   - queue: The queue of this connection.
    ///   - body: Handles the result while no other save runs.
    /// - Returns: Whether `body` was called. Otherwise nothing was written: another save came after
    ///   the check, which must be repeated.
    func write(
        _ save: GroupedSave, _ queue: SaveQueue,
        _ body: (Result<SaveOutcome, StoreError>) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        if queue.join(save) { return try lead(save, queue, body) }
        switch save.waitForStep() {
        case .lead: return try lead(save, queue, body)
        case .finish(let result, let next):
            defer { next.signal() }
            try body(result)
            return true
        case .checkAgain: return false
        }
    }

    /// Writes all waiting saves.
    private func lead(
        _ own: GroupedSave, _ queue: SaveQueue,
        _ body: (Result<SaveOutcome, StoreError>) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        defer { queue.pass() }
        // If the store cannot be written now, each save finds that out when it leads.
        defer { queue.remove(own) }
        queue.gather()
        return try withWritableStore { store throws(StoreError) in
            let saves = queue.take(
                atMost: store is any GroupSavingStore ? SaveQueue.groupLimit : 1)
            let (group, cancelled, overtaken) = admitted(saves)
            for save in overtaken where save !== own { save.wake(for: .checkAgain) }
            let start = DispatchTime.now().uptimeNanoseconds
            let results = write(group.map(\.changes), to: store)
            if !group.isEmpty {
                queue.recordCall(
                    of: group.count,
                    nanoseconds: Int64(DispatchTime.now().uptimeNanoseconds - start))
            }
            let ended =
                Array(zip(group, results)) + cancelled.map { ($0, .failure(.cancelledSave)) }
            // Runs also when the leader's own save throws.
            defer { finish(ended.filter { $0.0 !== own }, own) }
            guard let (_, result) = ended.first(where: { $0.0 === own }) else { return false }
            try body(result)
            return true
        }
    }

    /// Wakes saves one after the other, each once the previous one has handled its result.
    ///
    /// - Parameters:
    ///   - saves: The saves and their results.
    ///   - leader: The save of the calling thread, which waits for the last of them.
    private func finish(
        _ saves: some Sequence<(GroupedSave, Result<SaveOutcome, StoreError>)>,
        _ leader: GroupedSave
    ) {
        var next = leader.turn
        for (save, result) in saves.reversed() {
            save.prepare(.finish(result, next: next))
            next = save.turn
        }
        next.signal()
        leader.turn.wait()
    }

    /// Splits saves into those to write now, those that were cancelled, and those to check again.
    private func admitted(
        _ saves: [GroupedSave]
    ) -> (group: [GroupedSave], cancelled: [GroupedSave], overtaken: [GroupedSave]) {
        var group: [GroupedSave] = []
        var cancelled: [GroupedSave] = []
        var overtaken: [GroupedSave] = []
        let deletes = saves.contains { !$0.changes.deletes.isEmpty }
        var ends = SaveEnds()
        for save in saves {
            if save.changes.cancellation?.isCancelled == true {
                cancelled.append(save)
            } else if isOvertaken(save) || deletes && !ends.add(save.changes, self) {
                overtaken.append(save)
            } else {
                group.append(save)
            }
        }
        return (group, cancelled, overtaken)
    }

    /// Whether the save's context may have missed, in its check for deleted objects, a save of
    /// another context.
    private func isOvertaken(_ save: GroupedSave) -> Bool {
        let now = save.inbox.mark
        if now.posts == save.mark.posts { return false }
        if save.changes.deletes.isEmpty, now.deletions == save.mark.deletions { return false }
        guard let missed = save.inbox.received(since: save.mark) else { return true }
        var ends = SaveEnds()
        for changes in missed { ends.add(changes, self) }
        return !ends.add(save.changes, self)
    }

    private func write(
        _ group: [ChangeSet], to store: any PersistentStore
    ) -> [Result<SaveOutcome, StoreError>] {
        guard group.count > 1, let grouping = store as? any GroupSavingStore else {
            return group.map { changes in
                Result { () throws(StoreError) in try save(changes, to: store) }
            }
        }
        let results = grouping.save(group)
        precondition(
            results.count == group.count, "A store must return one result for each change set.")
        for result in results { recordOutcome(result, store) }
        return results
    }
}

extension StoreError {
    fileprivate static let cancelledSave = StoreError(
        .cancelled, "The save was cancelled; nothing was written.")
}
