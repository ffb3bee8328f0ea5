import Dispatch
import DuramenModel
import DuramenStore

/// The writing of a save off the owner: changes for one or several stores.
///
/// Callers that need its result can wait for it, blocking.
final class SaveOffOwner: Sendable {
    /// The changes for one store.
    struct Part: Sendable {
        let connection: StoreConnection
        let inbox: Inbox
        /// The mark of the inbox when the context checked for deleted objects.
        let mark: Inbox.Mark
        let changes: ChangeSet
        let save: UnknownSave
        let isPinned: Bool
    }

    /// The result of writing to one store.
    enum Outcome: Sendable {
        /// The changes were written. Has the state to pin the context to, if it is pinned.
        case saved(SaveReceipt, StoredOutcome, PinnedSnapshot?)
        case conflicted([StoreConflict])
        case failed(StoreError)
        /// Another save came in between, so that the context must check for deleted objects again.
        /// Nothing was written.
        case overtaken
        /// Not written, because an earlier store failed.
        case notReached
    }

    private let parts: [Part]
    private let outcomes = Locked<[Outcome]>([])
    private let end = DispatchGroup()

    init(_ parts: [Part]) {
        self.parts = parts
        end.enter()
    }

    /// Writes the changes, and wakes waiting callers.
    func run() {
        var found: [Outcome]
        do throws(StoreError) {
            found = try write()
        } catch {
            found = [.failed(error)]
        }
        while found.count < parts.count { found.append(.notReached) }
        outcomes.withLock { $0 = found }
        end.leave()
    }

    /// Returns the results by store. Blocks until they are known.
    func wait() -> [Outcome] {
        end.wait()
        return outcomes.withLock { $0 }
    }

    private func write() throws(StoreError) -> [Outcome] {
        guard parts.count == 1, let part = parts.first, !part.isPinned,
            let queue = part.connection.saveQueue
        else {
            return try StoreConnection.withWritableStores(
                parts.map(\.connection)[...], [], write)
        }
        var outcome = Outcome.overtaken
        let save = GroupedSave(part.changes, inbox: part.inbox, mark: part.mark)
        _ = try part.connection.write(save, queue) { outcome = complete(part, $0) }
        return [outcome]
    }

    private func write(_ stores: [any PersistentStore]) throws(StoreError) -> [Outcome] {
        if parts.contains(where: { $0.inbox.mark.posts != $0.mark.posts }) {
            return parts.map { _ in .overtaken }
        }
        if parts.count > 1 {
            var conflicts: [Outcome] = []
            var hasConflicts = false
            for (part, store) in zip(parts, stores) {
                let found = try StoredConflicts(part.changes, in: store).all()
                conflicts.append(.conflicted(found))
                hasConflicts = hasConflicts || !found.isEmpty
            }
            if hasConflicts { return conflicts }
        }
        var outcomes: [Outcome] = []
        for (part, store) in zip(parts, stores) {
            let outcome = write(part, to: store)
            outcomes.append(outcome)
            guard case .saved = outcome else { break }
        }
        return outcomes
    }

    private func write(_ part: Part, to store: any PersistentStore) -> Outcome {
        let result = Result { () throws(StoreError) in
            try part.connection.save(part.changes, to: store)
        }
        return complete(part, result) {
            // If the state cannot be read now, it is read later, or fails then.
            part.isPinned ? try? PinnedSnapshot(store) : nil
        }
    }

    /// Handles the result of a save while no other save runs, and notifies the other contexts.
    private func complete(
        _ part: Part, _ result: Result<SaveOutcome, StoreError>,
        pinned: () -> PinnedSnapshot? = { nil }
    ) -> Outcome {
        switch result {
        case .success(.conflicted(let conflicts)): return .conflicted(conflicts)
        case .success(.saved(let receipt)):
            let connection = part.connection
            let stored = StoredOutcome(
                of: part.save, receipt, in: connection.model, store: connection.handle)
            var news = stored.news
            news.generation = receipt.generation
            connection.publish(news, from: part.inbox)
            return .saved(receipt, stored, pinned())
        case .failure(let error):
            if error.code == .unknownOutcome {
                part.connection.remember(part.save, from: part.inbox)
            }
            return .failed(error)
        }
    }
}
