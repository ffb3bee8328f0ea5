import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Whether the outcome of the last save, which threw `.unknownOutcome`, is still unknown.
    public var hasSaveOfUnknownOutcome: Bool {
        parts.contains(where: \.savePhase.isUnknown)
    }

    /// Resolves the outcome of a save that threw `.unknownOutcome`, as the next save does first.
    ///
    /// A store whose commit was interrupted is reopened. If the save was committed, it is completed
    /// now. Its objects are saved, except for later edits, and hooks, observers and other contexts
    /// are notified. Otherwise the changes are still to be saved.
    /// - Returns: Whether the save was committed, to all stores of unknown outcome if there are
    ///   several; nil if no outcome was unknown.
    /// - Throws: The store's error if it cannot be opened or read; the outcome stays unknown.
    @discardableResult
    public func resolveUnknownSave() throws -> Bool? {
        requireOwner()
        noticeStores()
        waitForSaveOffOwner()
        if !hasSaveOfUnknownOutcome { return nil }
        let outcomes = try tellingOfSave {
            try withoutRecordingUndo { try openParts.compactMap { try $0.resolveUnknownSave() } }
        }
        return outcomes.isEmpty ? nil : outcomes.allSatisfy { $0 }
    }

    /// Resolves saves until no outcome is unknown: observers that are notified may save again.
    func resolveUnknownSaves() throws {
        repeat { try resolveUnknownSave() } while hasSaveOfUnknownOutcome
    }
}

extension ContextPart {
    fileprivate func resolveUnknownSave() throws -> Bool? {
        guard let unresolved = savePhase.unresolved else { return nil }
        reading.letGo()
        let news = try connection.withWritableStore {
            store throws(StoreError) -> SavedChanges? in
            guard connection.isCommitted(unresolved.save) else { return nil }
            let stored = try StoredOutcome(of: unresolved.save, in: store)
            if !unresolved.isDropped { settle(unresolved, stored) }
            recordMeanwhile(stored.news)
            postDidSave(stored.news)
            if isPinned { movePin(to: nil, in: store) }
            ledger.recordSave(hasWaiting: inbox.hasWaiting)
            return stored.news
        }
        connection.forget(unresolved.save)
        savePhase.move(to: .idle)
        tellChildrenOfEverything()
        if let news, unresolved.isDropped { mergeDropped(news) }
        return news != nil
    }

    /// Makes the stored rows the base of the objects of a save.
    func settle(_ unresolved: UnresolvedSave, _ stored: StoredOutcome) {
        collectSaved(unresolved.saved)
        recordForLists(saved: unresolved.objects, deleted: unresolved.saved.deleted)
        let items = Array(zip(unresolved.objects, unresolved.save.written))
        for owner in tracker.touched { owner.settlePositions() }
        for (object, item) in items { settle(object, item, stored.rows[object.objectID]) }
        for object in unresolved.saved.deleted where object.flags.contains(.deleted) {
            object.extra?.base = nil
            bury(object)
        }
        for (edge, isAdded) in unresolved.edges
        where tracker.edges[edge] == isAdded {
            tracker.forget(edge)
            // Pairs of deleted objects stay removed.
            if edge.isLive { dropNotes(of: edge) }
        }
        // The to-manys of related objects may have been loaded before or after the save.
        for (object, item) in items {
            let row = stored.rows[object.objectID]
            mergeReferences(from: item.base, to: row)
            mergeReferences(from: item.row, to: row)
        }
        for row in unresolved.save.deleted { mergeReferences(from: row, to: nil) }
        for change in stored.news.edges { merge(change) }
        for (object, item) in items where item.base == nil && object.flags.contains(.gone) {
            deleteAfterAll(object, stored.rows[object.objectID])
        }
        markRelationshipsEditedSince()
        tracker.endGuards(unresolved.guarded)
        compactChanges()
        // Otherwise the next save does this. Edits of objects in other stores that are not saved
        // yet may be recorded here too.
        if !context.hasChanges { commitToManys() }
    }

    /// Marks objects as changed if their pairs or positions were edited after the save. While they
    /// were new, such edits did not mark them.
    private func markRelationshipsEditedSince() {
        var edited = Set(tracker.edges.keys.flatMap { [$0.source, $0.destination] })
        for owner in tracker.touched where owner.hasUnsavedPositions(in: self) {
            edited.insert(owner)
        }
        for object in tracker.updated
        where object.extra?.base == nil && !edited.contains(object) {
            tracker.takeBackUpdate(of: object)
            takeOverStored(object)
        }
        for object in edited where object.flags.isDisjoint(with: [.deleted, .gone]) {
            recordUpdate(of: object)
        }
    }

    /// Applies another save to an object of which only pairs were edited.
    private func takeOverStored(_ object: ManagedObject) {
        if object.extra?.meanwhile == nil { return }
        recordNewValues(of: object, .refresh)
        forgetMembership(of: object)
        takeOverMeanwhile(object)
        forgetMembership(of: object)
    }

    private func settle(
        _ object: ManagedObject, _ item: UnknownSave.Written, _ stored: Row?
    ) {
        tracker.takeBackInsertion(of: object)
        guard !object.flags.contains(.gone), let row = object.row else { return }
        let isEdited = item.base == nil || object.extra?.base != nil
        if object.flags.contains(.deleted) {
            if isEdited { setBase(stored ?? item.row, of: object) }
            return
        }
        object.extra?.meanwhile = nil
        let own = isEdited ? editsSince(item, object, row) : SlotSet()
        guard let stored else {
            if own.isEmpty {
                becomeClean(object, item.row)
                markDeletedElsewhere(object)
            } else {
                setBase(item.row, of: object)
                object.ensureExtra().meanwhile = .deleted
            }
            return
        }
        let kinds = object.plan.entity.layout.kinds
        let isClash = own.slots.contains { !stored.hasSameValue($0, kinds[$0], as: item.row) }
        if isClash {
            // The version of this base differs from the store's, so the next save reports the
            // conflict.
            setBase(item.row, of: object)
            object.ensureExtra().meanwhile = .changed(stored)
            return
        }
        if own.isEmpty { return becomeClean(object, stored) }
        let layout = object.plan.entity.layout
        var mine = arena.copy(stored, layout: layout)
        for slot in own.slots { arena.copyValue(of: slot, from: row, to: &mine, layout: layout) }
        setBase(stored, of: object)
        object.adopt(mine)
        object.flags.insert(.writable)
    }

    /// Returns the slots of an object that were edited after it was passed to the store.
    private func editsSince(
        _ item: UnknownSave.Written, _ object: ManagedObject, _ row: Row
    ) -> SlotSet {
        var slots = SlotSet()
        // Values merged from other saves since then are not edits.
        let merged = object.extra?.base.flatMap { $0.version == item.base?.version ? nil : $0 }
        let kinds = object.plan.entity.layout.kinds
        for (slot, kind) in kinds.enumerated() where !row.hasSameValue(slot, kind, as: item.row) {
            if let merged, row.hasSameValue(slot, kind, as: merged) { continue }
            slots.insert(slot)
        }
        return slots
    }

    private func setBase(_ base: Row, of object: ManagedObject) {
        object.ensureExtra().base = base
        recordUpdate(of: object)
    }

    private func becomeClean(_ object: ManagedObject, _ row: Row) {
        object.realize(
            storage: row.storage, words: UnsafeMutableRawPointer(mutating: row.unsafeWords))
        object.extra?.base = nil
        object.flags.remove(.writable)
    }

    /// Deletes an object that the store contains, although it was new and removed when it was
    /// deleted.
    private func deleteAfterAll(_ object: ManagedObject, _ stored: Row?) {
        guard let stored else { return }
        let table = object.plan.table
        if let other = table.find(object.key) { return delete(other) }
        tracker.reflag(object, [])
        becomeClean(object, stored)
        // It missed other saves while it was not registered.
        object.forgetToManys()
        table.insert(object, key: object.key)
        delete(object)
    }
}
