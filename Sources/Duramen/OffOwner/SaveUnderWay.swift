import DuramenModel
import DuramenStore

/// A save off the owner as its context remembers it until it is done.
final class SaveUnderWay {
    struct Part {
        let context: ManagedObjectContext
        let pending: PendingSave
        /// How many saves of others the context was told of before it looked for what they deleted.
        let postCount: Int
    }

    private let parts: [Part]
    private var result: Result<Bool, any Error>?
    let work: SaveOffOwner

    /// Takes a look at what is to be saved, as it is now. The context may change it from now on.
    init(_ parts: [Part]) {
        self.parts = parts
        work = SaveOffOwner(
            parts.map { part in
                let context = part.context
                let save = UnknownSave(part.pending, model: context.model)
                context.unresolved = UnresolvedSave(
                    save: save, objects: Array(part.pending.inserted + part.pending.updated),
                    deleted: part.pending.deleted, edges: context.edges, guarded: context.guarded)
                return SaveOffOwner.Part(
                    connection: context.connection, inbox: context.inbox,
                    postCount: part.postCount,
                    changes: save.withCopies(part.pending.changes), save: save,
                    replacedIDs: context.newReplacements, isPinned: context.isPinned)
            })
    }

    /// Makes what was written the base of the contexts' objects, once. Waits for it, blocking.
    ///
    /// - Returns: False when nothing was written because somebody else saved in between.
    /// - Throws: Why something came to nothing.
    func finish() throws -> Bool {
        let known = result ?? Result { try finish(work.wait()) }
        result = known
        return try known.get()
    }

    private func finish(_ outcomes: [SaveOffOwner.Outcome]) throws -> Bool {
        var saved: [StoreHandle] = []
        var conflicts: [SaveConflict] = []
        var failure: (place: Int, error: any Error)?
        for (place, (part, outcome)) in zip(parts, outcomes).enumerated() {
            switch outcome {
            case .saved(let receipt, let stored, let pinned):
                part.context.finish(part.pending, receipt, stored, pinned)
                saved.append(part.context.handle.store)
            case .conflicted(let found):
                part.context.unresolved = nil
                let own = found.map(part.context.saveConflict)
                for conflict in own { part.context.noteStored(conflict) }
                conflicts += own
                failure = failure ?? (place, SaveConflictError(conflicts: []))
            case .failed(let error):
                // What became of it is found out later.
                if error.code != .unknownOutcome { part.context.unresolved = nil }
                failure = (place, error)
            case .notReached, .overtaken: part.context.unresolved = nil
            }
        }
        guard let failure else {
            if case .overtaken? = outcomes.first { return false }
            return true
        }
        let cause = conflicts.isEmpty ? failure.error : SaveConflictError(conflicts: conflicts)
        if saved.isEmpty { throw cause }
        let stores = parts.map(\.context.handle.store)
        throw IncompleteSaveError(
            savedStores: saved, failedStore: stores[failure.place],
            unsavedStores: Array(stores[(failure.place + 1)...]), cause: cause)
    }
}

extension ManagedObjectContext {
    /// Makes what was written off the owner the base of the objects of this part.
    fileprivate func finish(
        _ pending: PendingSave, _ receipt: SaveReceipt, _ stored: StoredOutcome,
        _ pinned: PinnedSnapshot?
    ) {
        // The store may have been removed meanwhile.
        guard let unresolved else { return }
        self.unresolved = nil
        snapshot = nil
        noteMeanwhile(stored.news)
        if unresolved.isDropped {
            merge([stored.news])
        } else {
            noteSaved(pending)
            settle(unresolved, stored)
            endGuards(unresolved.guarded)
            mergeDerived(stored.derived)
        }
        noteSave(of: receipt.generation)
        tellChildrenOfEverything()
        postDidSave(pending, receipt.generation)
        if isPinned { movePin(to: receipt.generation, pinned) }
    }
}
