import DuramenModel
import DuramenStore

/// A save off the owner, as its context keeps it until it is done.
final class SaveUnderWay {
    struct Part {
        let part: ContextPart
        let pending: PendingSave
        /// The mark of the inbox before the context checked for deleted objects.
        let mark: Inbox.Mark
    }

    private let parts: [Part]
    private var result: Result<SaveAttempt, any Error>?
    let work: SaveOffOwner

    /// Takes a copy of the changes to save. The context may change afterwards.
    init(_ parts: [Part]) {
        self.parts = parts
        work = SaveOffOwner(
            parts.map { written in
                let (part, pending) = (written.part, written.pending)
                let save = UnknownSave(pending, model: part.model)
                part.savePhase.move(to: .inFlight(UnresolvedSave(save, pending, in: part)))
                return SaveOffOwner.Part(
                    connection: part.connection, inbox: part.inbox,
                    mark: written.mark, changes: save.withCopies(pending.changes),
                    save: save, isPinned: part.isPinned)
            })
    }

    /// Makes the written rows the base of the contexts' objects, once. Waits for the save,
    /// blocking.
    ///
    /// - Throws: The reason why nothing was written.
    func finish() throws -> SaveAttempt {
        let known = result ?? Result { try finish(work.wait()) }
        result = known
        return try known.get()
    }

    private func finish(_ outcomes: [SaveOffOwner.Outcome]) throws -> SaveAttempt {
        var conflicts: [MetConflict] = []
        var stop: (index: Int, error: (any Error)?)?
        for (index, (part, outcome)) in zip(parts, outcomes).enumerated() {
            switch outcome {
            case .saved(let receipt, let stored, let pinned):
                part.part.finish(part.pending, receipt, stored, pinned)
            case .conflicted(let found):
                part.part.savePhase.move(to: .idle)
                let own = found.map(part.part.metConflict)
                for conflict in own { part.part.keepStored(conflict) }
                conflicts += own.map(\.detached)
                stop = stop ?? (index, nil)
            case .failed(let error):
                // The outcome is resolved later.
                if error.code == .unknownOutcome, let save = part.part.savePhase.unresolved {
                    part.part.savePhase.move(to: .unknown(save))
                } else {
                    part.part.savePhase.move(to: .idle)
                }
                stop = (index, error)
            case .notReached, .overtaken: part.part.savePhase.move(to: .idle)
            }
        }
        guard let stop else {
            if case .overtaken? = outcomes.first { return .overtaken }
            return .written
        }
        return try PartOfSave.attempt(
            of: parts.map(\.part.handle.store), stoppedAt: stop.index,
            stop.error.map { .failure($0) } ?? .conflicts(conflicts))
    }
}

extension ContextPart {
    /// Makes rows that were written off the owner the base of this part's objects.
    fileprivate func finish(
        _ pending: PendingSave, _ receipt: SaveReceipt, _ stored: StoredOutcome,
        _ pinned: PinnedSnapshot?
    ) {
        // The store may have been removed meanwhile.
        guard let unresolved = savePhase.unresolved else { return }
        savePhase.move(to: .idle)
        reading.letGo()
        recordMeanwhile(stored.news)
        if unresolved.isDropped {
            mergeDropped(stored.news)
        } else {
            settle(unresolved, stored)
            mergeDerived(stored.derived)
        }
        recordSave(of: receipt.generation)
        tellChildrenOfEverything()
        postDidSave(pending, receipt.generation)
        if isPinned { movePin(to: receipt.generation, pinned) }
    }
}
