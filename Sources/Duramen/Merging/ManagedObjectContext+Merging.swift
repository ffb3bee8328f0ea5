import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Begins a unit of work, which ends with ``endUnitOfWork()``.
    func beginUnitOfWork() {
        noticeStores()
        // Changes reach a child through its ancestors.
        parent?.drainFromTop()
        for part in parts {
            if parent == nil { part.drainInbox() }
        }
        ownership.isPerforming = true
        tellOfUnit()
    }

    func drainFromTop() {
        if let parent { return parent.drainFromTop() }
        for part in parts { part.drainInbox() }
    }

    /// Ends a unit of work: merges saves of other contexts, and releases the snapshot and unused
    /// objects. Call ``tellOfUnit()`` afterwards.
    func endUnitOfWork() {
        forgetRemovedStores()
        ownership.isPerforming = false
        for part in parts { part.endUnitOfWork() }
    }
}

extension ContextPart {
    fileprivate func endUnitOfWork() {
        drainInbox()
        tidy()
        unsubscribeIfIdle()
    }

    /// Releases the snapshot and unused objects after a unit of work.
    private func tidy() {
        reading.letGo()
        reading.unlinkBlocks()
        for table in tables where table.registeredSinceSweep > 0 || table.wasSweptWithinUnit {
            table.sweep(limit: table.wasSweptWithinUnit ? nil : table.registeredSinceSweep * 2)
        }
        forEachChild { $0.tidy() }
    }

    /// Merges saves of other contexts since the last unit of work, here and in the children.
    func drainInbox() {
        withoutRecordingUndo { if parentPart != nil { mergeParent() } else { drainOwnInbox() } }
        if !hasChildren { return }
        // Children read through this context and must see the merged state.
        reading.letGo()
        forEachChild { $0.drainInbox() }
    }

    private func drainOwnInbox() {
        guard let waiting = inbox.take() else {
            events?.listeners.post(.missed)
            return mergeUnknownSaves()
        }
        if waiting.isEmpty { return }
        mergeAndRecord(waiting, isDoubtful: ledger.hasSavedSinceDrain)
        markMerged(upTo: waiting.lazy.compactMap(\.generation).reduce(ledger.savedGeneration, max))
        ledger.finishDraining()
    }

    /// Records that everything saved up to a state is known.
    func markMerged(upTo generation: StoreGeneration) {
        if !inbox.hasMissed { ledger.markMerged(upTo: generation) }
    }

    /// Merges saves, and records them for observers and lists.
    func mergeAndRecord(_ saves: [SavedChanges], isDoubtful: Bool) {
        merge(saves)
        events?.recordMerge(of: saves, in: self, isDoubtful: isDoubtful)
    }

    /// Merges a save of this part whose changes were rolled back while it was written.
    func mergeDropped(_ save: SavedChanges) {
        mergeAndRecord([save], isDoubtful: true)
        context.tellSoon()
    }

    /// Merges other saves, oldest first.
    func merge(_ saves: [SavedChanges]) {
        var doubtful: Set<ManagedObject> = []
        for changes in saves {
            if let elsewhere = changes.elsewhere {
                mergeHere(elsewhere)
                continue
            }
            recordMeanwhile(changes)
            merge(changes, &doubtful)
        }
        tellChildren(of: saves)
        ledger.forgetDeletedElsewhere { registeredObject(for: $0) == nil }
        if !doubtful.isEmpty { readAgain(doubtful) }
    }

    /// Makes all unchanged objects faults, so that they are loaded again.
    func forgetUnchangedValues() {
        events?.lists.record { $0.isEverything = true }
        tellChildrenOfEverything()
        ledger.recordEverythingMeanwhile()
        forEachObject { object in
            if object.isSweepable, !object.flags.contains(.deletedElsewhere) {
                if object.words != nil { events?.recordRefresh(of: object) }
                object.turnIntoFault()
            } else {
                object.extra?.toManys.forEach { $0?.forgetStored() }
            }
        }
    }

    /// Merges the stored state of all retained objects, after saves with unknown changes.
    ///
    /// - Complexity: Loads the rows of all retained objects.
    private func mergeUnknownSaves() {
        events?.lists.record { $0.isUnknownSave = true }
        tellChildrenOfEverything()
        ledger.recordEverythingMeanwhile()
        if hasOwnChanges { ledger.recordUnknownDeletions() }
        for table in tables { table.sweep() }
        let known = deletedOwners()
        defer { for (owner, members) in known { expectNewcomers(of: owner, members) } }
        forgetMembers()
        ledger.finishDraining()
        var held: [ManagedObject] = []
        forEachObject { object in
            if object.key > 0, object.flags.isDisjoint(with: [.inserted, .gone]) {
                held.append(object)
            }
        }
        reading.letGo()
        for start in stride(from: 0, to: held.count, by: 500) {
            let part = held[start..<min(start + 500, held.count)]
            guard let found = try? currentSnapshot().batches(for: part.map(\.objectID)).joined()
            else {
                // The objects load when they are used, and report the error then.
                return forgetUnchangedValues()
            }
            var rows: [ManagedObjectID: Row] = [:]
            for row in found { rows[row.objectID(in: model, store: handle.store)] = row }
            for object in part { merge(rows[object.objectID], of: object) }
        }
    }

    /// Merges the stored state of an object: its row, or nil for a missing one.
    private func merge(_ row: Row?, of object: ManagedObject) {
        guard let row else { return mergeDeletion(of: object) }
        unmarkDeletedElsewhere(object)
        if case .deleted? = object.extra?.meanwhile { object.extra?.meanwhile = nil }
        guard let known = object.extra?.base ?? object.row else {
            object.extra?.partial = nil
            return
        }
        if known.version != row.version { takeOver(row, by: object) }
    }

    private func merge(_ changes: SavedChanges, _ doubtful: inout Set<ManagedObject>) {
        for row in changes.inserts {
            mergeReferences(from: nil, to: row)
            if !(ledger.deletedElsewhere.isEmpty && ledger.deletionsSinceChanges.isEmpty) {
                mergeReturn(of: row, &doubtful)
            }
        }
        for update in changes.updates {
            mergeReferences(from: update.base, to: update.row)
            merge(update, &doubtful)
        }
        recordDeletions(of: changes.deletes)
        for row in changes.deletes {
            mergeReferences(from: row, to: nil)
            mergeDeletion(of: row, &doubtful)
        }
        for change in changes.edges { merge(change) }
    }

    /// Merges newer values into a registered object.
    ///
    /// The merged values may be older than the object's, because this context may have loaded or
    /// saved it in between. Versions have no order, so the store is queried then.
    private func merge(_ update: SavedChanges.Update, _ doubtful: inout Set<ManagedObject>) {
        let plan = plans[update.row.entityID.index]
        guard let object = plan.table.find(update.row.key), !object.flags.contains(.gone)
        else { return }
        guard let row = object.row else {
            object.extra?.partial = nil
            return
        }
        var known = (object.extra?.base ?? row).version
        if case .changed(let newer)? = object.extra?.meanwhile { known = newer.version }
        if known == update.row.version {
            doubtful.remove(object)
        } else if known == update.base.version {
            takeOver(update.row, by: object)
        } else {
            doubtful.insert(object)
        }
    }

    /// Merges newer values into an object.
    func takeOver(_ new: Row, by object: ManagedObject) {
        // A save of unknown outcome inserted it, or it is about to be inserted again. The next save
        // compares it with the store.
        if object.flags.contains(.inserted) { return }
        if object.flags.contains(.deleted) {
            if parentPart != nil { leaveOwners(of: object, in: new) }
            object.ensureExtra().meanwhile = .changed(new)
            return
        }
        // Edits that do not count as changes are discarded.
        guard object.flags.contains(.updated), let base = object.extra?.base else {
            recordNewValues(of: object, .refresh)
            object.extra?.base = nil
            object.extra?.meanwhile = nil
            object.realize(
                storage: new.storage, words: UnsafeMutableRawPointer(mutating: new.unsafeWords))
            return
        }
        // Both sides edited a property. The object keeps its base, so that its save reports the
        // conflict. In a child, the child's values win over the parent's.
        if parentPart == nil, isClash(of: object, base, with: new) {
            object.extra?.meanwhile = .changed(new)
        } else {
            recordNewValues(of: object, .refresh)
            rebase(object, on: new)
        }
    }

    /// Whether others changed a property that is edited here.
    ///
    /// - Parameters:
    ///   - object: The edited object.
    ///   - base: The row that the edits are based on.
    ///   - new: The row that others saved.
    ///   - settled: Slots that are not compared.
    func isClash(
        of object: ManagedObject, _ base: Row, with new: Row, besides settled: [Int] = []
    ) -> Bool {
        let kinds = object.plan.layout.kinds
        return object.editedSlots.slots.contains { slot in
            !settled.contains(slot) && !new.hasSameValue(slot, kinds[slot], as: base)
        }
    }

    /// Merges the present stored state of objects.
    func readAgain(_ objects: Set<ManagedObject>) {
        reading.letGo()
        guard let batch = try? currentSnapshot().batches(for: objects.map(\.objectID)).joined()
        else {
            // The objects load when they are used, and report the error then.
            for object in objects where !object.hasChanges { object.turnIntoFault() }
            return
        }
        var rows: [Int64: [Row]] = [:]
        for row in batch { rows[row.key, default: []].append(row) }
        for object in objects {
            let family = object.plan.entity.root
            let row = rows[object.key]?.first { model[$0.entityID].root == family }
            if let row {
                unmarkDeletedElsewhere(object)
                takeOver(row, by: object)
            } else {
                mergeDeletion(of: object)
            }
        }
    }

    private func mergeDeletion(of row: Row, _ doubtful: inout Set<ManagedObject>) {
        guard let object = plans[row.entityID.index].table.find(row.key) else { return }
        let known = object.extra?.base ?? object.row
        // It may have been inserted again since, also here, and may be a fault now.
        let isDoubtful =
            known.map { $0.version != row.version }
            ?? ledger.insertedAgain.contains(object.objectID)
        if isDoubtful { doubtful.insert(object) } else { mergeDeletion(of: object) }
    }

    /// Restores an object that was deleted and that another save inserted again.
    private func mergeReturn(of row: Row, _ doubtful: inout Set<ManagedObject>) {
        ledger.recordReturn(of: row.objectID(in: model, store: handle.store))
        guard let object = plans[row.entityID.index].table.find(row.key) else { return }
        if object.flags.contains(.deletedElsewhere) {
            events?.record(object)
            object.flags.remove(.deletedElsewhere)
        } else if case .deleted? = object.extra?.meanwhile {
            object.extra?.meanwhile = nil
        } else {
            return
        }
        takeOver(row, by: object)
        // A later save of this context may have changed it again.
        if ledger.hasSavedSinceDrain { doubtful.insert(object) }
    }

    /// Marks an object that another context deleted.
    private func mergeDeletion(of object: ManagedObject) {
        // The object is about to be inserted again.
        if object.flags.contains(.inserted) { return }
        if object.flags.contains(.deleted) || object.isUpdated {
            // Changed or deleted on both sides: the next save reports the conflict.
            object.ensureExtra().meanwhile = .deleted
        } else {
            markDeletedElsewhere(object)
        }
    }

    func markDeletedElsewhere(_ object: ManagedObject) {
        guard object.flags.isDisjoint(with: [.deletedElsewhere, .gone]) else { return }
        events?.record(object)
        object.flags.insert(.deletedElsewhere)
        ledger.addDeletedElsewhere(object.objectID)
    }

    /// Removes the mark from an object that exists again.
    func unmarkDeletedElsewhere(_ object: ManagedObject) {
        guard object.flags.contains(.deletedElsewhere) else { return }
        events?.record(object)
        object.flags.remove(.deletedElsewhere)
        ledger.forgetDeletedElsewhere(object.objectID)
    }

    /// Updates the loaded to-manys that are inverses of an object's to-ones.
    func mergeReferences(from old: Row?, to new: Row?) {
        guard let entity = (new ?? old)?.entityID else { return }
        let plan = plans[entity.index]
        for reference in plan.toOnes {
            guard reference.inverse.isToMany else { continue }
            // Most saves change no to-one.
            if let old, let new, reference.isSame(in: old, new) { continue }
            let before = old?.destination(
                of: reference.relationship, in: model, store: handle.store)
            let after = new?.destination(
                of: reference.relationship, in: model, store: handle.store)
            if before == after {
                if let old, let new { mergeOrder(reference, of: after, from: old, to: new) }
                continue
            }
            guard let id = (new ?? old)?.objectID(in: model, store: handle.store) else { continue }
            // Records of edits that were reverted by assignment are outdated.
            if !isEdited(reference, of: registeredObject(for: id)) {
                for owner in [before, after] { dropNotes(of: id, at: owner, reference) }
            }
            mergeMember(id, of: before, in: reference.inverse, isAdded: false)
            mergeMember(id, of: after, in: reference.inverse, isAdded: true)
        }
    }

    /// Invalidates an ordered to-many if a member's order number changed.
    private func mergeOrder(
        _ reference: ReferencePlan, of owner: ManagedObjectID?, from old: Row, to new: Row
    ) {
        guard let slot = reference.orderSlot, let owner,
            !new.hasSameValue(slot, .integer, as: old)
        else { return }
        registeredObject(for: owner)?.toManyState(of: reference.inverse)?.forgetStored()
    }

    private func isEdited(_ reference: ReferencePlan, of object: ManagedObject?) -> Bool {
        guard let object, object.hasChanges else { return false }
        return object.flags.contains(.deleted) || object.editedSlots.contains(reference.slot)
    }

    func merge(_ change: EdgeChange) {
        let relationship = model[change.relationship]
        let inverse = model[relationship.inverse]
        for (pairs, isAdded) in [(change.added, true), (change.removed, false)] {
            for pair in pairs {
                mergeMember(pair.destination, of: pair.source, in: relationship, isAdded: isAdded)
                mergeMember(pair.source, of: pair.destination, in: inverse, isAdded: isAdded)
            }
        }
    }

    private func mergeMember(
        _ id: ManagedObjectID, of owner: ManagedObjectID?, in relationship: Relationship,
        isAdded: Bool
    ) {
        guard let owner, let object = registeredObject(for: owner) else { return }
        // Delete rules of an object deleted here hide new members from other objects, whether the
        // to-many was loaded or not.
        if isAdded { expectNewcomer(of: object) }
        guard let extra = object.extra, !extra.toManys.isEmpty else { return }
        let state = object.toManyState(of: relationship)
        events?.recordMembers(of: object)
        object.tellingMerge(toMany: relationship) {
            if ledger.hasSavedSinceDrain {
                // The merged save may be older than a save of this context.
                state?.forgetStored()
            } else {
                state?.merge(id, isAdded: isAdded)
            }
        }
    }
}
