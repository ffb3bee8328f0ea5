import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Saves without the owner waiting for a store: keys are obtained, what delete rules need is
    /// read, and the changes are written on another thread.
    ///
    /// The result is that of ``save(isolation:)`` at the moment when the changes are handed over.
    /// Meanwhile the owner may go on with the context, and what it changes from then on is left for
    /// the next save. A rollback then drops the changes here, and what is written is merged like
    /// somebody else's. One save of a context is written at a time: another one off the owner
    /// follows it, and ``save(isolation:)`` blocks until it is done.
    ///
    /// Hooks and validation run on the owner, and so does the merge policy; what these read, the
    /// owner waits for. The save of a child moves its changes into its parent, at once. Once begun,
    /// a save is not cancelled: it is written whole or not at all.
    /// - Parameter isolation: The owner of the context, filled in by the compiler.
    /// - Throws: `CancellationError` when the task was cancelled before, or what
    ///   ``save(isolation:)`` throws.
    public func saveOffOwner(isolation: isolated (any Actor)? = #isolation) async throws {
        try Task.checkCancellation()
        // Other contexts of the owner show what was saved when this returns.
        defer { persistentStoreCoordinator.drain(in: isolation) }
        await beginSaveOffOwner(isolation)
        defer { saveTurns.pass() }
        enter(isolation)
        noticeStores()
        try requireNoSaveInPreparation()
        _ = try withoutRecordingUndo { try resolveUnknownSave() }
        if parent != nil { return try save(isolation: isolation) }
        try await readForSave(isolation)
        try prepareToSave()
        defer { if telling.isWanted { tellOfSave() } }
        var attempts = ConflictAttempts()
        var isSaved = false
        while !isSaved {
            let attempt: Result<SaveAttempt, any Error>
            do {
                attempt = .success(try await attemptOffOwner(isolation))
            } catch {
                attempt = .failure(error)
            }
            isSaved = try withoutRecordingUndo {
                try isDone(after: attempt.get, &attempts)
            }
        }
        letGoAfterSave()
        reportReplacements()
    }

    /// Reads and obtains off the owner what a save needs, until nothing is missing.
    private func readForSave(_ isolation: isolated (any Actor)?) async throws {
        var isComplete = false
        while !isComplete {
            isComplete = true
            try await readForDeletions(isolation)
            propagateDeletes(forSave: true)
            for part in openParts {
                let owners = part.tracker.touched.filter(\.hasOrderedEdits).map(\.objectID)
                try await part.read(Missing(toManysOf: owners, in: part), isolation)
                let members = owners.compactMap(part.registeredHere).flatMap(\.orderedMembers)
                try await part.read(Missing(valuesOf: members, in: part), isolation)
                let new = part.tracker.inserted.entries
                guard let counts = part.keyCounts(for: new) else { continue }
                let connection = part.connection
                let keys = try await offCooperativePool { try connection.allocateKeys(counts) }
                part.assign(keys, to: new)
                // Somebody may have inserted or deleted meanwhile.
                isComplete = false
            }
        }
    }
}

extension ManagedObjectContext {
    /// Finishes a save off the owner, for which it waits, blocking.
    func waitForSaveOffOwner() {
        // An error is not lost: the call that awaits the save throws it.
        if let save = saveTurns.underWay { _ = try? finish(save) }
    }

    // MARK: - One after the other

    private func beginSaveOffOwner(_ isolation: isolated (any Actor)?) async {
        if saveTurns.take() { return }
        await withCheckedContinuation { saveTurns.wait($0) }
    }

    // MARK: - Writing

    private func attemptOffOwner(
        _ isolation: isolated (any Actor)?
    ) async throws -> SaveAttempt {
        let save: SaveUnderWay
        switch try handOver() {
        case .nothing: return .written
        case .conflicts(let conflicts): return .conflicted(conflicts)
        case .save(let handedOver): save = handedOver
        }
        saveTurns.begin(save)
        let work = save.work
        try? await offCooperativePool { work.run() }
        return try finish(save)
    }

    private func finish(_ save: SaveUnderWay) throws -> SaveAttempt {
        saveTurns.end()
        return try withoutRecordingUndo { try save.finish() }
    }

    private enum HandOver {
        case nothing
        case conflicts([MetConflict])
        case save(SaveUnderWay)
    }

    /// Collects what is to be written.
    private func handOver() throws -> HandOver {
        let changed = try changedParts()
        for part in changed { try part.assignKeys(to: part.tracker.inserted.entries) }
        var pending: [SaveUnderWay.Part] = []
        var idle: [(ContextPart, PendingSave)] = []
        var conflicts: [MetConflict] = []
        for part in changed {
            try part.numberMembers()
            let own = try part.collectChanges()
            if own.changes.isEmpty {
                idle.append((part, own))
                continue
            }
            // Before looking: what comes in after that is noticed by whoever writes.
            let postCount = part.inbox.postCount
            part.reading.letGo()
            let missing = part.missingEnds(own)
            for conflict in missing { part.keepStored(conflict) }
            conflicts += missing
            own.end(part.lostEdgesWaiting(own))
            pending.append(SaveUnderWay.Part(part: part, pending: own, postCount: postCount))
        }
        if !conflicts.isEmpty { return .conflicts(conflicts) }
        for (part, own) in idle { part.finishWithoutWriting(own) }
        return pending.isEmpty ? .nothing : .save(SaveUnderWay(pending))
    }
}

extension ManagedObject {
    /// Whether an ordered to-many is to be numbered anew.
    fileprivate final var hasOrderedEdits: Bool {
        extra?.toManys.contains { $0?.order != nil && $0?.hasEdits == true } ?? false
    }

    /// The members of the ordered to-manys with edits, which are known.
    fileprivate final var orderedMembers: [ManagedObjectID] {
        (extra?.toManys ?? []).enumerated().flatMap { index, state in
            state?.order != nil && state?.hasEdits == true && state?.isLoaded == true
                ? members(at: index) : []
        }
    }
}
