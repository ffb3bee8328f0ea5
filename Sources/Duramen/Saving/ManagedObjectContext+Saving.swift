import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Saves all changes to the store, completely or not at all. With several stores, they are
    /// written one after another, after all were checked for conflicts.
    ///
    /// Without changes and guarded objects it does nothing. If it throws, the context keeps its
    /// changes and can save again. ``mergePolicy`` settles conflicts. After `.unknownOutcome`, the
    /// next save first resolves whether this one was committed, so that nothing is saved twice; see
    /// ``resolveUnknownSave()``.
    /// - Parameter isolation: The isolation that the call runs in; leave it out.
    /// - Throws: ``ValidationError``, ``SaveConflictError``, errors of properties that could not be
    ///   loaded before, or the store's error. ``IncompleteSaveError`` if one of several stores
    ///   failed after others were written.
    public func save(isolation: isolated (any Actor)? = #isolation) throws {
        try saving(isolation) {
            try prepareToSave()
            try writeChanges()
        }
    }

    /// Runs a save with what every save on the owner begins and ends with.
    func saving<Result>(
        _ isolation: (any Actor)?, _ save: () throws -> Result
    ) throws -> Result {
        enter(isolation)
        noticeStores()
        try requireNoSaveInPreparation()
        roundTrips?.beginOwnWork()
        defer { roundTrips?.endOwnWork() }
        try resolveUnknownSaves()
        defer { if telling.isWanted { tellOfSave() } }
        let result = try save()
        letGoAfterSave()
        return result
    }

    /// Applies delete rules, calls hooks, and validates the changes.
    func prepareToSave() throws {
        for part in parts {
            part.takeOverWhereEditsWereReverted()
            part.connectEditedPartners(of: Array(part.tracker.updated))
        }
        propagateDeletes(forSave: true)
        if tellsOfSaves { try prepareChanges() }
        endUndoEvent()
        try validate()
    }

    func writeChanges() throws {
        if parent != nil { return try moveToParent() }
        try withoutRecordingUndo {
            try saveSettlingConflicts(attemptParts)
        }
    }
}

extension ContextPart {
    /// Writes the changes of this part's store, unless there are conflicts.
    func attempt() throws -> SaveAttempt {
        compactChanges()
        guard mustSave else { return .written }
        let rows = try assignKeys(to: tracker.inserted.entries)
        try numberMembers()
        let pending = try collectChanges(inserts: rows)
        if pending.changes.isEmpty {
            finishWithoutWriting(pending)
            return .written
        }
        reading.letGo()
        let conflicts = try commitInGroup(pending) ?? commitAlone(pending)
        for conflict in conflicts { keepStored(conflict) }
        return conflicts.isEmpty ? .written : .conflicted(conflicts)
    }

    /// Marks objects as saved if the store has nothing to write for them.
    func finishWithoutWriting(_ pending: PendingSave) {
        finish(pending, insertedVersions: [], updatedVersions: [])
        postDidSave(pending, nil)
    }

    /// Records the state that a save of this part created, before later saves of others are merged.
    func recordSave(of generation: StoreGeneration) {
        let hasWaiting = inbox.hasWaiting
        // All earlier saves of others were posted already.
        if !hasWaiting { markMerged(upTo: generation) }
        ledger.recordSave(of: generation, hasWaiting: hasWaiting)
    }

    /// Passes a save to the store while no other save runs, and notifies the other contexts.
    ///
    /// - Returns: The conflicts that prevented the save; empty if it was written.
    private func commitAlone(_ pending: PendingSave) throws(StoreError) -> [MetConflict] {
        var conflicts: [MetConflict] = []
        try connection.withWritableStore { store throws(StoreError) in
            conflicts = missingEnds(pending)
            if conflicts.isEmpty { conflicts = try commit(pending, to: store) }
        }
        return conflicts
    }

    /// Records a save whose outcome is unknown, for the next save to resolve.
    private func recordUnknown(_ pending: PendingSave) {
        let save = UnknownSave(pending, model: model)
        connection.remember(save, from: inbox)
        savePhase.move(to: .unknown(UnresolvedSave(save, pending, in: self)))
    }

    /// Returns the changes in the form that the store accepts.
    ///
    /// - Parameter inserts: The rows of all new objects, if they are known.
    func collectChanges(inserts: RowList? = nil) throws -> PendingSave {
        var published = SavedChanges()
        compactChanges()
        let inserted = tracker.inserted.entries
        published.inserts = inserts ?? newRows(of: inserted)
        var saved = ContiguousArray<ManagedObject>()
        var updates: [RowUpdate] = []
        for object in tracker.updated where object.isUpdated {
            replaceTemporaryKeys(in: object)
            guard let row = object.row, let base = object.extra?.base else { continue }
            let slots = object.editedSlots
            if slots.isEmpty { continue }
            saved.append(object)
            published.updates.append(.init(base: base, row: row))
            updates.append(RowUpdate(row: row, baseVersion: base.version, changedSlots: slots))
        }
        // Sorted by key, so that the engine walks its pages once.
        sort(&saved, &updates)
        var gone: [ManagedObject] = []
        var deletes: [RowDeletion] = []
        for object in tracker.deleted {
            if object.words == nil { try fulfillForDeletion(object) }
            guard let row = object.extra?.base ?? object.row else { continue }
            gone.append(object)
            published.deletes.append(row)
            deletes.append(RowDeletion(id: object.objectID, baseVersion: row.version))
        }
        published.edges = collectEdges()
        let changes = ChangeSet(
            inserts: published.inserts, updates: updates, deletes: deletes, edges: published.edges,
            checks: tracker.guarded.isEmpty ? [] : guardChecks, author: context.transactionAuthor,
            contextName: context.name)
        if !gone.isEmpty { published.edges += lostEdges(of: gone) }
        return PendingSave(
            changes, published, inserted: inserted, updated: saved, deleted: gone)
    }

    private func sort(
        _ objects: inout ContiguousArray<ManagedObject>, _ updates: inout [RowUpdate]
    ) {
        let isSorted = objects.indices.dropFirst().allSatisfy {
            objects[$0 - 1].key <= objects[$0].key
        }
        if isSorted { return }
        let order = objects.indices.sorted { objects[$0].key < objects[$1].key }
        objects = ContiguousArray(order.map { objects[$0] })
        updates = order.map { updates[$0] }
    }

    private func newRows(of objects: ContiguousArray<ManagedObject>) -> RowList {
        var rows = RowList()
        rows.reserveCapacity(objects.count)
        objects.forEachBorrowed { object in
            replaceTemporaryKeys(in: object)
            // A new object always has its own row.
            object.addRow(to: &rows)
        }
        return rows
    }

    /// Returns the many-to-many pairs that end with deleted objects. The store finds them itself;
    /// other contexts must be notified.
    private func lostEdges(of deleted: [ManagedObject]) -> [EdgeChange] {
        var changes: [EdgeChange] = []
        for object in deleted {
            for (index, relationship) in object.plan.toManys.enumerated() {
                guard case .manyToMany = relationship.storage else { continue }
                var change = EdgeChange(relationship: relationship.id)
                // Pairs removed before the deletion are not separate edits any more.
                let members = object.members(at: index)
                let stored = object.extra?.toManys[index]?.stored ?? []
                change.removed = Set(members + stored).sorted().map {
                    EdgeChange.Edge(from: object.objectID, to: $0)
                }
                if !change.removed.isEmpty { changes.append(change) }
            }
        }
        return changes
    }

    private func collectEdges() -> [EdgeChange] {
        if tracker.edges.isEmpty, tracker.pairNumbers.isEmpty { return [] }
        var changes: [RelationshipID: EdgeChange] = [:]
        for (edge, isAdded) in tracker.edges {
            guard edge.isLive, edge.source.plan.handle === edge.destination.plan.handle else {
                continue
            }
            let numbers = isAdded ? tracker.takeNumbers(of: edge) : nil
            let pair = EdgeChange.Edge(
                from: edge.source.objectID, to: edge.destination.objectID, order: numbers?.own,
                inverseOrder: numbers?.inverse)
            // In place, because a copy for each pair would take quadratic time.
            let empty = EdgeChange(relationship: edge.relationship)
            if isAdded {
                changes[edge.relationship, default: empty].added.append(pair)
            } else {
                changes[edge.relationship, default: empty].removed.append(pair)
            }
        }
        // Pairs that only change their positions.
        for (edge, numbers) in tracker.pairNumbers {
            let pair = EdgeChange.Edge(
                from: edge.source.objectID, to: edge.destination.objectID, order: numbers.own,
                inverseOrder: numbers.inverse)
            changes[edge.relationship, default: EdgeChange(relationship: edge.relationship)]
                .added.append(pair)
        }
        return changes.values.map(\.inOrder).sorted { $0.relationship < $1.relationship }
    }

    /// Makes the saved state the new base of all objects.
    func finish(
        _ pending: PendingSave, insertedVersions: [RowVersion], updatedVersions: [RowVersion]
    ) {
        collectSaved(ObjectsOfSave(pending, in: self))
        recordForLists(saved: pending.inserted, pending.updated, deleted: pending.deleted)
        tellChildren()
        var index = 0
        pending.inserted.forEachBorrowed { object in
            if let words = object.words { Row.setVersion(insertedVersions[index], at: words) }
            object.flags.subtract(.saved)
            object.keepTransients()
            index += 1
        }
        for (index, object) in pending.updated.enumerated() {
            if let words = object.words { Row.setVersion(updatedVersions[index], at: words) }
        }
        var overtaken: [(ManagedObject, Row)] = []
        var vanished: [ManagedObject] = []
        for object in tracker.updated {
            object.flags.subtract(.saved)
            object.extra?.base = nil
            object.keepTransients()
            // The object was part of pairs that end, but had no edits that could conflict.
            if case .deleted? = object.extra?.meanwhile {
                markDeletedElsewhere(object)
                vanished.append(object)
            }
            // `willSave` reverted all of its edits, or the context is pinned, so nothing of it was
            // saved. A deleted object keeps its last values.
            if case .changed(let row)? = object.extra?.meanwhile, !object.flags.contains(.deleted) {
                overtaken.append((object, row))
            }
            object.extra?.meanwhile = nil
        }
        for object in ledger.deletedElsewhere.compactMap(registeredObject)
        where object.flags.contains(.deletedElsewhere) {
            bury(object)
        }
        ledger.forgetAllDeletedElsewhere()
        for object in tracker.deleted { bury(object) }
        commitToManys()
        for (object, row) in overtaken { replaceValues(of: object, with: row) }
        for object in vanished { forgetMembership(of: object) }
        arena.beginAnew()
        tracker.forgetSaved()
        ledger.forgetDeletions()
    }

    /// Records the objects of a save, for lists that show no unsaved changes.
    func recordForLists(saved: ContiguousArray<ManagedObject>..., deleted: [ManagedObject]) {
        events?.lists.record { noted in
            for objects in saved { noted.saved += objects }
            noted.savedDeletions += deleted
            noted.ids.formUnion(withContext(\.replacements.ids))
        }
        context.tellSoon()
    }

    /// Removes an object from the context after its deletion was saved.
    func bury(_ object: ManagedObject) {
        tracker.takeBackAll(of: object)
        object.flags.remove(.deletedElsewhere)
        object.flags.formUnion([.gone, .buried])
        // If it was removed before, another object may have its key now.
        let table = object.plan.table
        if table.find(object.key) === object { table.remove(object.key) }
    }

    /// Makes the edits of to-manys part of the stored state.
    func commitToManys() {
        if let aside = tracker.aside { return commitToManys(without: aside) }
        for object in tracker.touched { object.commitToManys(in: self) }
        tracker.keepTouched([])
    }

    /// Keeps the stored row of a conflict, for when the changes here are discarded.
    func keepStored(_ conflict: MetConflict) {
        guard conflict.isOfVersions, let object = registeredHere(conflict.objectID)
        else { return }
        tracker.refuse(object)
        if !object.hasChanges {
            // The next load gets the stored row, or the one of the pinned state.
            if conflict.stored != nil || isPinned { return forgetValues(of: object) }
            return markDeletedElsewhere(object)
        }
        // The changes are already based on it; the conflict was with an older guard.
        if let stored = conflict.stored, object.extra?.base?.version == stored.version {
            return
        }
        object.ensureExtra().meanwhile = conflict.stored.map { .changed($0) } ?? .deleted
    }

    /// Copies a row's values for an error. The error may be sent elsewhere, and the object's own
    /// row may still change.
    func snapshot(_ row: Row?, _ id: ManagedObjectID) -> ObjectSnapshot? {
        row.map { row in
            var builder = RowBatchBuilder(capacity: 256)
            builder.append(row, layout: model[row.entityID].layout, version: row.version)
            return ObjectSnapshot(builder.finish()[0], objectID: id, model: model)
        }
    }

    /// Passes a save to the store, and notifies the other contexts. Call it while no other save
    /// runs.
    ///
    /// - Returns: The conflicts that prevented the save; empty if it was written.
    func commit(
        _ pending: PendingSave, to store: any PersistentStore
    ) throws(StoreError) -> [MetConflict] {
        if !pending.deleted.isEmpty { pending.end(lostEdgesWaiting(pending)) }
        countRoundTrip(RoundTrip(.save, ""))
        let result = Result { () throws(StoreError) in
            try connection.save(pending.changes, to: store)
        }
        let conflicts = try complete(pending, result)
        if isPinned, case .success(.saved(let receipt)) = result {
            movePin(to: receipt.generation, in: store)
        }
        return conflicts
    }

    /// Handles the result of a save while no other save runs, and notifies the other contexts.
    ///
    /// - Returns: The conflicts that prevented the save; empty if it was written.
    func complete(
        _ pending: PendingSave, _ result: Result<SaveOutcome, StoreError>
    ) throws(StoreError) -> [MetConflict] {
        switch result {
        case .success(.saved(let receipt)):
            let news = accept(receipt, for: pending)
            postDidSave(pending, receipt.generation)
            connection.publish(news, from: inbox)
            recordMeanwhile(news)
            return []
        case .success(.conflicted(let conflicts)): return conflicts.map(metConflict)
        case .failure(let error):
            if error.code == .unknownOutcome { recordUnknown(pending) }
            throw error
        }
    }

    /// Makes the written rows the base of the objects, with derived values from the store.
    ///
    /// - Returns: The changes for other contexts. Only now do the rows have their new versions.
    private func accept(_ receipt: SaveReceipt, for pending: PendingSave) -> SavedChanges {
        finish(
            pending, insertedVersions: receipt.insertedVersions,
            updatedVersions: receipt.updatedVersions)
        let others = pending.published.add(receipt.derivedRows)
        takeOver(receipt.derivedRows, others: others)
        recordSave(of: receipt.generation)
        pending.published.generation = receipt.generation
        return pending.published
    }
}

/// A save in preparation: the changes for the store, and their objects.
///
/// A class, because copying so many lists would count many references.
final class PendingSave {
    let changes: ChangeSet
    let inserted: ContiguousArray<ManagedObject>
    let updated: ContiguousArray<ManagedObject>
    let deleted: [ManagedObject]
    /// The changes for other contexts, after the store has accepted the save.
    fileprivate var published: SavedChanges

    init(
        _ changes: ChangeSet, _ published: SavedChanges, inserted: ContiguousArray<ManagedObject>,
        updated: ContiguousArray<ManagedObject>, deleted: [ManagedObject]
    ) {
        self.changes = changes
        self.published = published
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// The rows of the deleted objects.
    var deletedRows: [Row] { published.deletes }

    /// The added and removed pairs.
    var edges: [EdgeChange] { published.edges }

    /// Adds removed pairs that are not sent to the store, so that other contexts are notified.
    func end(_ pairs: [EdgeChange]) { published.edges += pairs }
}

extension EdgeChange {
    /// A copy with sorted pairs, so that stores write neighbours together.
    fileprivate var inOrder: EdgeChange {
        var ordered = self
        ordered.added.sort(by: Self.precedes)
        ordered.removed.sort(by: Self.precedes)
        return ordered
    }

    private static func precedes(_ a: Edge, _ b: Edge) -> Bool {
        (a.source.key, a.destination.key) < (b.source.key, b.destination.key)
    }
}
