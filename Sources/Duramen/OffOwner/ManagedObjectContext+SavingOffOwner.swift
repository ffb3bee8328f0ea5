import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Saves without blocking the owner: keys are allocated, related objects for delete rules are
    /// loaded, and changes are written on another thread.
    ///
    /// The result is that of ``save(isolation:)`` at the time when the changes are handed over. The
    /// owner can use the context meanwhile; later changes are left for the next save. A rollback
    /// then discards the changes here, and the written ones are merged like another context's save.
    /// A context writes one save at a time: a further save off the owner waits for it, and
    /// ``save(isolation:)`` blocks until it is done.
    ///
    /// Hooks, validation and the merge policy run on the owner, and so does their loading. The save
    /// of a child moves its changes into its parent at once. After it has started, a save cannot be
    /// cancelled; it is written completely or not at all.
    /// - Parameter isolation: The isolation that the call runs in; leave it out.
    /// - Throws: `CancellationError` if the task was cancelled before, or the errors of
    ///   ``save(isolation:)``.
    public func saveOffOwner(isolation: isolated (any Actor)? = #isolation) async throws {
        try Task.checkCancellation()
        // When this returns, other contexts of the owner have merged the save.
        defer { persistentStoreCoordinator.drain(in: isolation) }
        await beginSaveOffOwner(isolation)
        defer { saveTurns.pass() }
        enter(isolation)
        noticeStores()
        try requireNoSaveInPreparation()
        try resolveUnknownSaves()
        if parent != nil { return try save(isolation: isolation) }
        try await readForSave(isolation)
        // The owner may have saved meanwhile.
        try resolveUnknownSaves()
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
        if !hasChanges { commitToManys() }
        letGoAfterSave()
        reportReplacements()
    }

    /// Loads objects and allocates keys for a save off the owner, until nothing is missing.
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
                // Objects may have been inserted or deleted meanwhile.
                isComplete = false
            }
        }
    }
}

extension ManagedObjectContext {
    /// Waits for a save off the owner, blocking, and finishes it.
    func waitForSaveOffOwner() {
        // The error is not lost: the call that awaits the save throws it.
        guard let save = saveTurns.underWay else { return }
        _ = try? finish(save)
        if telling.isWanted { tellOfSave() }
    }

    // MARK: - Turns

    private func beginSaveOffOwner(_ isolation: isolated (any Actor)?) async {
        if saveTurns.take() { return }
        await withCheckedContinuation { saveTurns.wait($0) }
    }

    // MARK: - Writing

    private func attemptOffOwner(
        _ isolation: isolated (any Actor)?
    ) async throws -> SaveAttempt {
        try resolveUnknownSaves()
        prepareTelling()
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

    /// Collects the changes to write.
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
            // Taken before the check, so that the writer notices later saves.
            let mark = part.inbox.mark
            part.reading.letGo()
            let missing = part.missingEnds(own)
            for conflict in missing { part.keepStored(conflict) }
            conflicts += missing
            own.end(part.lostEdgesWaiting(own))
            pending.append(SaveUnderWay.Part(part: part, pending: own, mark: mark))
        }
        if !conflicts.isEmpty { return .conflicts(conflicts) }
        for (part, own) in idle { part.finishWithoutWriting(own) }
        return pending.isEmpty ? .nothing : .save(SaveUnderWay(pending))
    }
}

extension ManagedObject {
    /// Whether an ordered to-many needs new order numbers.
    fileprivate final var hasOrderedEdits: Bool {
        extra?.toManys.contains { $0?.order != nil && $0?.hasEdits == true } ?? false
    }

    /// The loaded members of ordered to-manys with edits.
    fileprivate final var orderedMembers: [ManagedObjectID] {
        (extra?.toManys ?? []).enumerated().flatMap { index, state in
            state?.order != nil && state?.hasEdits == true && state?.isLoaded == true
                ? members(at: index) : []
        }
    }
}
