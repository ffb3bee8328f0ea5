import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Reloads an object's stored values.
    ///
    /// - Parameters:
    ///   - object: The object; nothing happens if it is new.
    ///   - mergeChanges: True keeps the object's edits on top of the new values. False discards
    ///     them and makes the object a fault.
    /// - Throws: ``ContextError`` `.objectNotFound` if the object is gone, or the store's error.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
        requireOwner()
        requireOwn(object, for: "refresh")
        try object.plan.handle.part(for: object).refresh(object, mergeChanges: mergeChanges)
    }

    /// Reloads the stored values of all objects. Unchanged objects become faults; changed ones keep
    /// their edits on top of the new values.
    ///
    /// - Throws: ``ContextError`` `.objectNotFound` if a changed object is gone, or the store's
    ///   error. All other objects are refreshed nevertheless.
    public func refreshAllObjects() throws {
        requireOwner()
        noticeStores()
        propagateDeletes()
        events?.lists.record { $0.isEverything = true }
        tellSoon()
        defer { awakeObjects() }
        var failure: (any Error)?
        for part in parts {
            do { try part.refreshAllObjects() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Discards all changes since the last save: removes new objects, reverts changed ones and
    /// restores deleted ones.
    public func rollback() {
        requireOwner()
        if !failures.errors.isEmpty { _ = takeFaultFailures() }
        forgetUndoSteps()
        withoutRecordingUndo { for part in parts { part.rollback() } }
        stores.aliases = [:]
        tellSoon()
        awakeObjects()
    }

    /// Releases all objects and discards all changes. Do not use objects of the context afterwards.
    public func reset() {
        requireOwner()
        rollback()
        for part in parts { part.forgetObjects() }
        main.identity.forgetClassPlan()
        events?.recordReset()
    }
}

extension ContextPart {
    /// Reloads the stored values of an object of this part.
    func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
        guard !object.flags.contains(.inserted) else { return }
        reading.letGo()
        events?.recordRefresh(of: object)
        context.tellSoon()
        tellChildren(of: [object.objectID])
        defer { awakeObjects() }
        if mergeChanges {
            try reload(object)
        } else {
            withoutRecordingUndo { dropEdits(of: object) }
            object.turnIntoFault()
        }
        try guardAgain(object)
    }

    /// Reloads an object's values and keeps its edits on top.
    private func reload(_ object: ManagedObject) throws {
        countRoundTrip(
            RoundTrip(.refresh, object.entity.name, nil, object.objectID, 1))
        guard let new = try currentSnapshot().row(for: object.objectID) else {
            throw ContextError.objectNotFound(object.objectID)
        }
        for relationship in object.plan.toManys {
            object.tellingMerge(toMany: relationship) {
                object.toManyState(of: relationship)?.forgetStored()
            }
        }
        object.extra?.meanwhile = nil
        object.extra?.fetched = [:]
        if object.words == nil { queueFilled(object) } else { queueReplaced(object, .refresh) }
        guard object.extra?.base != nil, object.row != nil else {
            object.realize(
                storage: new.storage, words: UnsafeMutableRawPointer(mutating: new.unsafeWords))
            return
        }
        rebase(object, on: new)
    }

    /// Makes newer values the base of an object's edits.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - new: The newer row.
    ///   - kept: The slots in which the object keeps its own values; nil for the edited slots.
    func rebase(_ object: ManagedObject, on new: Row, keeping kept: SlotSet? = nil) {
        guard let row = object.row else { return }
        let layout = object.plan.entity.layout
        // Where a to-one was edited here, its new stored destination is not the object's
        // destination.
        let edited = whole(kept ?? object.editedSlots, of: object, new)
        for reference in object.plan.toOnes {
            guard reference.inverse.isToMany else { continue }
            let owner = object.destinationID(of: reference, in: new)
            let mine = object.destinationID(of: reference, in: row)
            if owner == mine {
                // Both sides made the same edit, so it is not an edit any more.
                if edited.contains(reference.slot) {
                    for id in [mine, object.baseDestinationID(of: reference)] {
                        dropNotes(of: object.objectID, at: id, reference)
                    }
                }
                continue
            }
            if edited.contains(reference.slot) {
                withoutRecordingUndo {
                    owner.flatMap(registerFault)?.removeInverse(reference.inverse, to: object)
                }
            } else {
                for id in [owner, mine] { dropNotes(of: object.objectID, at: id, reference) }
            }
        }
        var mine = arena.copy(new, layout: layout)
        for slot in edited.slots {
            arena.copyValue(of: slot, from: row, to: &mine, layout: layout)
        }
        object.extra?.base = new
        object.extra?.meanwhile = nil
        object.tellingReplacement(by: mine.row) { object.adopt(mine) }
    }

    /// Returns edited slots in which each to-one has all of its slots or none. The destination's
    /// entity belongs to its key, and the order index to its owner.
    private func whole(_ slots: SlotSet, of object: ManagedObject, _ new: Row) -> SlotSet {
        var slots = slots
        for reference in object.plan.toOnes {
            let isEdited = slots.contains(reference.slot)
            if let slot = reference.entitySlot {
                if isEdited { slots.insert(slot) } else { slots.remove(slot) }
            }
            guard let slot = reference.orderSlot, !isEdited, let base = object.extra?.base else {
                continue
            }
            if !new.hasSameValue(reference.slot, .reference, as: base) { slots.remove(slot) }
        }
        return slots
    }

    fileprivate func refreshAllObjects() throws {
        reading.letGo()
        tellChildrenOfEverything()
        var changed: [ManagedObject] = []
        forEachObject { object in
            if object.isUpdated {
                changed.append(object)
            } else if object.flags.isDisjoint(with: [.inserted, .deleted, .deletedElsewhere]) {
                if object.words != nil { events?.recordRefresh(of: object) }
                object.turnIntoFault()
            }
        }
        var failure: (any Error)?
        for object in changed {
            events?.recordRefresh(of: object)
            do { try reload(object) } catch { failure = failure ?? error }
        }
        for object in tracker.guarded.keys {
            do { try guardAgain(object) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Discards the changes of this part's store.
    func rollback() {
        tellChildren()
        for object in tracker.touched {
            events?.recordMembers(of: object)
            object.forgetToManys()
        }
        for object in tracker.inserted {
            events?.record(object)
            ledger.forgetInsertedAgain(object.objectID)
            tracker.reflag(object, [.gone, .dropped])
            object.plan.table.remove(object.key)
        }
        for object in tracker.updated { revert(object) }
        for object in tracker.deleted {
            events?.record(object)
            tracker.takeBackDeletion(of: object)
            takeOverMeanwhile(object)
            recordNewValues(of: object, .rollback)
        }
        tracker.clear()
        ledger.forgetDeletions()
        savePhase.dropChanges()
    }

    /// Releases the objects of this part's store.
    func forgetObjects() {
        ledger.forgetAllDeletedElsewhere()
        reading.letGo()
        forEachObject { object in
            let isTold = object.words != nil && object.overrides(.turnIntoFault)
            if isTold { object.willTurnIntoFault() }
            object.flags.insert(.gone)
            if isTold { object.didTurnIntoFault() }
        }
        identity.forgetAll(keeping: parentPart?.identity.permanentKeys ?? PermanentKeys())
        arena.beginAnew()
        tellChildrenOfEverything()
    }

    /// Reverts the edits of an object.
    private func revert(_ object: ManagedObject) {
        // Recorded while the object has its edits. A merge before observers are notified would
        // record the values of that moment.
        events?.record(object)
        if let base = object.extra?.base {
            object.realize(
                storage: base.storage, words: UnsafeMutableRawPointer(mutating: base.unsafeWords))
        }
        if let extra = object.extra {
            extra.base = nil
            extra.faultError = nil
            extra.transients = extra.transients.map { TransientValues($0.saved) }
        }
        takeBackUpdate(of: object)
        takeOverMeanwhile(object)
        recordNewValues(of: object, .rollback)
    }

    /// Applies another save to an object that had changes when the save was merged.
    func takeOverMeanwhile(_ object: ManagedObject) {
        guard let meanwhile = object.extra?.meanwhile else { return }
        object.extra?.meanwhile = nil
        // A pinned context keeps its state.
        if isPinned { return }
        switch meanwhile {
        case .changed(let row):
            object.realize(
                storage: row.storage, words: UnsafeMutableRawPointer(mutating: row.unsafeWords))
        case .deleted: markDeletedElsewhere(object)
        }
    }

    /// Gives an unchanged object newer values, and invalidates the to-manys of its old and new
    /// destinations.
    func replaceValues(of object: ManagedObject, with new: Row) {
        forgetMembership(of: object)
        object.extra?.base = nil
        object.realize(
            storage: new.storage, words: UnsafeMutableRawPointer(mutating: new.unsafeWords))
        forgetMembership(of: object)
    }

    /// Invalidates the to-manys that contain an object.
    func forgetMembership(of object: ManagedObject) {
        func forget(_ owner: ManagedObjectID, _ relationship: Relationship) {
            guard let object = registeredObject(for: owner) else { return }
            object.tellingMerge(toMany: relationship) {
                object.toManyState(of: relationship)?.forgetStored()
            }
        }
        for reference in object.plan.toOnes {
            guard let row = object.row,
                let owner = object.destinationID(of: reference, in: row)
            else { continue }
            forget(owner, reference.inverse)
        }
        for (relationship, state) in zip(object.plan.toManys, object.extra?.toManys ?? []) {
            guard case .manyToMany = relationship.storage else { continue }
            for member in state?.stored ?? [] { forget(member, model[relationship.inverse]) }
        }
    }

    /// Reverts an object's edits, including the inverse sides. Its to-manys keep edits made to
    /// other objects.
    func dropEdits(of object: ManagedObject) {
        guard object.flags.contains(.updated) else { return }
        if let base = object.extra?.base, !object.flags.contains(.deleted) {
            for reference in object.plan.toOnes { dropEdit(of: reference, of: object, base) }
        }
        for edge in tracker.edges.keys
        where edge.source === object || edge.destination === object {
            tracker.forget(edge)
            savePhase.drop(edge)
            // Pairs of deleted objects stay removed.
            if edge.source.flags.contains(.deleted) || edge.destination.flags.contains(.deleted) {
                continue
            }
            dropNotes(of: edge)
            forgetUpdateWithoutEdits(of: edge.source === object ? edge.destination : edge.source)
        }
    }

    /// Restores the destination that a to-one had before its edits.
    func dropEdit(of reference: ReferencePlan, of object: ManagedObject, _ base: Row) {
        let id = object.destinationID(of: reference, in: base)
        let edited = object.row.flatMap { object.destinationID(of: reference, in: $0) }
        if id != edited {
            object.setDestination(id.flatMap(registerFault), of: reference, updatesInverse: true)
        }
        // An edit that was reverted by assignment also left records there.
        for owner in [id, edited].compactMap({ $0 }).compactMap(registeredObject) {
            drop(reference.inverse.id, from: owner, to: object.objectID)
        }
    }

    /// Drops the records about an object at a destination that a to-one no longer refers to by an
    /// edit.
    func dropNotes(
        of id: ManagedObjectID, at owner: ManagedObjectID?, _ reference: ReferencePlan
    ) {
        guard let owner, let destination = registeredObject(for: owner) else { return }
        drop(reference.inverse.id, from: destination, to: id)
    }

    /// Drops the records of a many-to-many pair on both sides.
    func dropNotes(of edge: EdgeKey) {
        drop(edge.relationship, from: edge.source, to: edge.destination.objectID)
        drop(
            model[edge.relationship].inverse, from: edge.destination, to: edge.source.objectID)
    }

    /// Drops the edits of one pair on one side.
    func drop(
        _ relationship: RelationshipID, from source: ManagedObject, to destination: ManagedObjectID
    ) {
        let relationship = model[relationship]
        source.tellingMerge(toMany: relationship) {
            source.toManyState(of: relationship)?.dropEdits(of: destination, in: self)
        }
    }

    /// Makes an object, which may be of another store, unchanged if only edits of pairs had changed
    /// it and none is left.
    private func forgetUpdateWithoutEdits(of object: ManagedObject) {
        let edges = context.parts.lazy.flatMap(\.tracker.edges.keys)
        guard object.flags.contains(.updated), object.extra?.base == nil,
            !object.hasArrangedMembers,
            !edges.contains(where: { $0.source === object || $0.destination === object })
        else { return }
        object.plan.handle.livePart?.tracker.takeBackUpdate(of: object)
    }

    /// Removes an object from the changed objects, so that it shares its row again.
    func takeBackUpdate(of object: ManagedObject) {
        tracker.takeBackUpdate(of: object)
        object.flags.remove(.writable)
    }
}
