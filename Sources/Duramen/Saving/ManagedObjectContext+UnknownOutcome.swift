import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Whether nobody knows what became of the last save, which threw `.unknownOutcome`.
    public var hasSaveOfUnknownOutcome: Bool { unresolved != nil }

    /// Finds out what became of a save that threw `.unknownOutcome`, as the next save does first.
    ///
    /// A store whose commit failed half way is opened again. When the save was committed, it is done now:
    /// its objects are clean but for what was edited since, and other contexts are told. Otherwise the
    /// changes are still to be saved.
    /// - Returns: Whether the save was committed; nil when no outcome was unknown.
    /// - Throws: The store's error when it cannot be opened or asked; the outcome stays unknown.
    @discardableResult
    public func resolveUnknownSave() throws -> Bool? {
        guard let save = unresolved else { return nil }
        snapshot = nil
        let news = try persistentStoreCoordinator.withWritableStore {
            store throws(StoreError) -> SavedChanges? in
            guard try store.generation(ofSave: save.identifier) != nil else { return nil }
            // Somebody else may have changed the same since, so that what is stored now counts.
            let stored = try StoredOutcome(of: save, in: store.snapshot(), of: store)
            if !save.isDropped { settle(save, stored) }
            let news = save.news(stored)
            hasSavedSinceDrain = hasSavedSinceDrain || !inbox.waiting.isEmpty
            persistentStoreCoordinator.publish(news, from: inbox)
            return news
        }
        unresolved = nil
        if let news, save.isDropped { merge([news]) }
        return news != nil
    }

    /// Makes what the store has the base of the objects of a save.
    private func settle(_ save: UnresolvedSave, _ stored: StoredOutcome) {
        for item in save.written { settle(item, stored.rows[item.object.objectID]) }
        for object in save.deleted where object.flags.contains(.deleted) {
            object.extra?.base = nil
            bury(object)
        }
        for (edge, isAdded) in save.edges where edges[edge] == isAdded {
            edges[edge] = nil
            // The pairs of deleted objects stay taken out.
            let ends = edge.source.flags.union(edge.destination.flags)
            if ends.isDisjoint(with: [.deleted, .gone]) { dropNotes(of: edge) }
        }
        mergeEnds(of: save, stored)
        for item in save.written { deleteAfterAll(item, stored.rows[item.object.objectID]) }
        let related = Set(edges.keys.flatMap { [$0.source, $0.destination] })
        for object in updated where object.extra?.base == nil && !related.contains(object) {
            object.flags.remove(.updated)
        }
        compactChanges()
        // Otherwise the next save does it.
        if !hasChanges { commitToManys() }
    }

    /// Tells the to-manys at the other ends, which may have been read before the save or after it.
    private func mergeEnds(of save: UnresolvedSave, _ stored: StoredOutcome) {
        for item in save.written {
            let row = stored.rows[item.object.objectID]
            mergeReferences(from: item.base, to: row)
            mergeReferences(from: item.row, to: row)
        }
        for row in save.deletedRows { mergeReferences(from: row, to: nil) }
        for change in stored.edges { merge(change) }
    }

    private func settle(_ item: UnresolvedSave.Written, _ stored: Row?) {
        let object = item.object
        object.flags.remove(.inserted)
        guard !object.flags.contains(.gone), let row = object.row else { return }
        let isEdited = item.base == nil || object.extra?.base != nil
        if object.flags.contains(.deleted) {
            if isEdited { setBase(stored ?? item.row, of: object) }
            return
        }
        object.extra?.meanwhile = nil
        let own = isEdited ? editsSince(item, row, object.extra?.base) : SlotSet()
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
            // The version of this base is none that the store has, so the next save reports the conflict.
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

    /// The slots of an object that were edited after it was given to the store.
    private func editsSince(
        _ item: UnresolvedSave.Written, _ row: Row, _ base: Row?
    ) -> SlotSet {
        var slots = SlotSet()
        // What others saved may have been merged since; what came from there is no edit.
        let merged = base.flatMap { $0.version == item.base?.version ? nil : $0 }
        let kinds = item.object.plan.entity.layout.kinds
        for (slot, kind) in kinds.enumerated() where !row.hasSameValue(slot, kind, as: item.row) {
            if let merged, row.hasSameValue(slot, kind, as: merged) { continue }
            slots.insert(slot)
        }
        return slots
    }

    private func setBase(_ base: Row, of object: ManagedObject) {
        object.ensureExtra().base = base
        noteUpdate(of: object)
    }

    private func becomeClean(_ object: ManagedObject, _ row: Row) {
        object.realize(
            storage: row.storage, words: UnsafeMutableRawPointer(mutating: row.unsafeWords))
        object.extra?.base = nil
        object.flags.remove(.writable)
    }

    /// Deletes an object that was forgotten when it was deleted, because it was new, but that the store
    /// has.
    private func deleteAfterAll(_ item: UnresolvedSave.Written, _ stored: Row?) {
        let object = item.object
        guard item.base == nil, object.flags.contains(.gone), let stored else { return }
        let table = object.plan.table
        if let other = table.find(object.key) { return delete(other) }
        object.flags = []
        becomeClean(object, stored)
        table.insert(object, key: object.key)
        // Its first deletion left it in the list.
        deleted.removeAll { $0 === object }
        delete(object)
    }
}
