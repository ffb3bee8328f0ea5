import Dispatch
import DuramenModel
import DuramenStore

/// The writing half of a save off the owner: changes of one store or several, on their way.
///
/// Whoever must not go on before it is done may wait for it, blocking.
final class SaveOffOwner: Sendable {
    /// The changes of one store.
    struct Part: Sendable {
        let connection: StoreConnection
        let inbox: Inbox
        /// How many saves of others the context was told of when it looked for what they deleted.
        let postCount: Int
        let changes: ChangeSet
        let save: UnknownSave
        let isPinned: Bool
    }

    /// What became of one store's changes.
    enum Outcome: Sendable {
        /// With the state to pin the context to, if it is pinned.
        case saved(SaveReceipt, StoredOutcome, PinnedSnapshot?)
        case conflicted([StoreConflict])
        case failed(StoreError)
        /// Somebody saved in between, so that the context must look again what was deleted. Nothing
        /// is written.
        case overtaken
        /// Another store came to nothing before.
        case notReached
    }

    private let parts: [Part]
    private let outcomes = Locked<[Outcome]>([])
    private let end = DispatchGroup()

    init(_ parts: [Part]) {
        self.parts = parts
        end.enter()
    }

    /// Writes, and wakes whoever waits.
    func run() {
        var found: [Outcome]
        do throws(StoreError) {
            found = try StoreConnection.withWritableStores(
                parts.map(\.connection)[...], [], write)
        } catch {
            found = [.failed(error)]
        }
        while found.count < parts.count { found.append(.notReached) }
        outcomes.withLock { $0 = found }
        end.leave()
    }

    /// What became of the changes, by store. Blocks until that is known.
    func wait() -> [Outcome] {
        end.wait()
        return outcomes.withLock { $0 }
    }

    private func write(_ stores: [any PersistentStore]) throws(StoreError) -> [Outcome] {
        if parts.contains(where: { $0.inbox.postCount != $0.postCount }) {
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
        do throws(StoreError) {
            switch try part.connection.save(part.changes, to: store) {
            case .conflicted(let conflicts): return .conflicted(conflicts)
            case .saved(let receipt):
                let stored = StoredOutcome(
                    of: part.save, receipt, in: store.model, store: store.handle)
                var news = stored.news
                news.generation = receipt.generation
                part.connection.publish(news, from: part.inbox)
                // What cannot be read now is read, or fails, later.
                let pinned = part.isPinned ? try? PinnedSnapshot(store) : nil
                return .saved(receipt, stored, pinned)
            }
        } catch {
            if error.code == .unknownOutcome {
                part.connection.remember(part.save, from: part.inbox)
            }
            return .failed(error)
        }
    }
}
