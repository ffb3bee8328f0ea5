import DuramenModel
import DuramenStore

// Steps are undone by ordinary changes. So the recorder, observers and inverse relationships learn
// of them, and the step for redo is recorded automatically.
extension ManagedObjectContext {
    /// Undoes or redoes a step.
    ///
    /// - Throws: The error of loading a needed object. Nothing is changed then.
    func putBack(_ step: UndoStep) throws {
        var step = step
        step.deletions = undoRecorder?.withLateDeletions(step.deletions) ?? step.deletions
        noticeStores()
        try readObjects(of: step)
        let returned = takeBackDeletions(step.deletions)
        var edited: [ManagedObject] = []
        for edit in step.edits {
            guard let object = main.living(edit.object) else { continue }
            main.putBack(edit, to: object)
            edited.append(object)
        }
        for (edge, wasThere) in step.pairs { main.putBack(edge, wasThere) }
        let gone = step.insertions.filter { object in
            object.isThere && undoRecorder?.replaced.contains(object) != true
        }
        if step.isRedo {
            // A repeated deletion applies its rules to the relationships that the object had when
            // it was deleted.
            main.cutOff(gone) { step.separated[$0]?.contains($1) == true }
        } else {
            // The deletion of new objects must not reach objects that existed before.
            let new = Set(gone)
            main.cutOff(gone) { !new.contains($1) }
        }
        for object in gone { delete(object) }
        propagateDeletes(forSave: true)
        for object in returned { object.dropStrangers() }
        // Last, because members that are added or removed change the end of the list.
        for edit in step.edits {
            if let object = main.living(edit.object) { main.putBackLists(edit, object) }
        }
        main.forgetEmptyEdits(of: step)
        for object in returned { object.recordUndo(.undoDeletion) }
        for object in gone { object.recordUndo(.undoInsertion) }
        for object in edited where !returned.contains(object) { object.recordUndo(.undoUpdate) }
        for part in parts {
            part.tellChildren(
                of: step.objects.lazy.filter { $0.plan.handle === part.handle }.map(\.objectID))
        }
    }

    /// Loads the objects that a step needs, so that it cannot fail halfway.
    private func readObjects(of step: UndoStep) throws {
        for part in parts {
            if part.isStoreRemoved { continue }
            func own(_ objects: [ManagedObject]) -> [ManagedObject] {
                objects.filter { $0.plan.handle === part.handle }
            }
            try part.readReturned(own(step.deletions.map(\.object)))
            let ends = step.pairs.flatMap { [$0.edge.source, $0.edge.destination] }
            let gone = step.deletions.filter { $0.object.flags.contains(.gone) }
            let hidden = own(step.deletions.map(\.object)).flatMap(\.hiddenPartners)
            let members = (gone.flatMap(\.members).flatMap(\.ids) + hidden).compactMap(main.living)
            let partners = step.edits.flatMap(\.partners)
            let faults = own(
                step.insertions + step.edits.map(\.object) + ends + members + partners
            )
            .filter { $0.words == nil && $0.isThere && ($0.key > 0 || part.parentPart != nil) }
            .map(\.objectID)
            for group in faults.groups { try part.registerRows(of: group) }
            for edit in step.edits where edit.object.plan.handle === part.handle {
                for index in edit.lists.keys { try part.readMembers(of: edit.object, at: index) }
            }
            for (edge, _) in step.pairs where edge.source.plan.handle === part.handle {
                if let index = edge.sourceIndex { try part.readMembers(of: edge.source, at: index) }
            }
        }
    }
}

extension ContextPart {
    /// Returns the object of a step, or the object that has its ID now; nil if it does not exist.
    ///
    /// A step may hold a fault that was created for the ID of a removed object, which is restored
    /// now.
    fileprivate func living(_ object: ManagedObject) -> ManagedObject? {
        guard let known = registeredObject(for: object.objectID), known.isThere else { return nil }
        if known.words != nil { return known }
        return known === object && mayBeRead(known.objectID) ? known : nil
    }

    /// Returns the object with an ID; nil if it is known not to exist.
    func living(_ id: ManagedObjectID) -> ManagedObject? {
        if let known = registeredObject(for: id) {
            return known.isThere && (known.words != nil || mayBeRead(known.objectID)) ? known : nil
        }
        return mayBeRead(currentID(of: id)) ? registerFault(id) : nil
    }

    /// Whether an object that is not in memory may exist: a new one only in a parent.
    func mayBeRead(_ id: ManagedObjectID) -> Bool { !id.isTemporaryID || parentPart != nil }

    /// Returns a destination that a to-one may refer to again; nil if it does not exist.
    ///
    /// An object that is deleted here counts as existing if its rule allows references to it until
    /// the save.
    func destination(_ object: ManagedObject, of reference: ReferencePlan) -> ManagedObject? {
        if let living = living(object) { return living }
        let rule = reference.inverse.deleteRule
        return object.flags.contains(.deleted) && (rule == .deny || rule == .noAction)
            ? object : nil
    }

    // MARK: - Loading

    fileprivate func readMembers(of object: ManagedObject, at index: Int) throws {
        guard object.isThere,
            !object.ensureExtra().state(at: index).isLoaded
        else { return }
        try fulfillToMany(of: object, at: index)
    }

    // MARK: - Values

    fileprivate func putBack(_ edit: UndoStep.Edit, to object: ManagedObject) {
        if let row = edit.row, object.words != nil {
            for slot in edit.slots {
                if let reference = object.plan.references[slot] {
                    let old = edit.destinations[slot].flatMap { destination($0, of: reference) }
                    // A fault that was loaded before is gone, and cannot refer back.
                    let isGone = !reference.inverse.isToMany && old?.words == nil
                    object.setDestination(
                        isGone ? nil : old, of: reference, updatesInverse: true)
                } else {
                    object.copyAttribute(slot, from: row)
                }
            }
        }
        for (index, before) in edit.transients.sorted(by: { $0.key < $1.key }) {
            object.putBack(before, ofTransientAt: index)
        }
    }

    fileprivate func putBack(_ edge: EdgeKey, _ wasThere: Bool) {
        guard let source = living(edge.source), let destination = living(edge.destination),
            let index = edge.sourceIndex,
            source.hasMember(destination.objectID, at: index) != wasThere
        else { return }
        if wasThere {
            source.insertMember(destination, at: index)
        } else {
            source.removeMember(destination, at: index)
        }
    }

    /// Removes relationships between objects to delete and some of the objects that their rules
    /// would reach.
    fileprivate func cutOff(
        _ objects: [ManagedObject], from isCut: (ManagedObject, ManagedObject) -> Bool
    ) {
        for object in objects {
            for reference in object.plan.toOnes where reference.relationship.reachesDestinations {
                if let end = object.destination(of: reference), isCut(object, end) {
                    object.setDestination(nil, of: reference, updatesInverse: true)
                }
            }
            for (index, relationship) in object.plan.toManys.enumerated()
            where relationship.isManyToMany && relationship.reachesDestinations {
                for member in object.members(at: index).compactMap(registerFault)
                where isCut(object, member) {
                    object.removeMember(member, at: index)
                }
            }
        }
    }

    fileprivate func putBackLists(_ edit: UndoStep.Edit, _ object: ManagedObject) {
        for (index, list) in edit.lists.sorted(by: { $0.key < $1.key }) {
            object.arrangeMembers(list.map(currentID), at: index)
        }
    }
}

extension ManagedObject {
    /// Sets an attribute to its value in another row.
    final func copyAttribute(_ slot: Int, from source: Row) {
        telling(slot: slot) {
            if !flags.contains(.writable), !becomeWritable() { return }
            guard var own = mutableRow else { return }
            plan.handle.arena.copyValue(of: slot, from: source, to: &own, layout: plan.layout)
            adopt(own)
        }
    }

    /// Queues the awake hook of the object after an undo.
    fileprivate final func recordUndo(_ events: SnapshotEvents) {
        plan.handle.part(for: self).queueReplaced(self, events)
    }
}
