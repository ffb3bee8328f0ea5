import DuramenModel

// Reverted edits leave nothing to save.
extension ContextPart {
    /// Marks the objects of an undone step as unchanged if they have no edits left.
    func forgetEmptyEdits(of step: UndoStep) {
        let related = step.deletions.flatMap { deletion in
            deletion.destinations.map(\.destination)
                + deletion.members.flatMap(\.ids).compactMap(registeredObject)
        }
        let known = Set(step.objects + related).filter { $0.isThere && !$0.isInserted }
        let objects = known.filter(\.isUpdated)
        let merged = step.edits.filter { objects.contains($0.object) }.map { edit in
            (edit, edit.object.plan.handle.livePart?.putOnTopOfMeanwhile(edit))
        }
        // After all of them, because a partner may be an object of the step, too.
        for case (let edit, let new?) in merged {
            edit.object.plan.handle.livePart?.connectPartners(edit, new)
            edit.object.plan.handle.livePart?.settleReferences(of: edit.object)
        }
        for object in objects {
            object.plan.handle.livePart?.forgetEmptyReferences(of: object)
        }
        for (edge, _) in step.pairs {
            edge.source.plan.handle.livePart?.forgetEmptyEdit(of: edge)
        }
        for object in known { object.plan.handle.livePart?.forgetEmptyEdits(of: object) }
    }

    /// Makes old values edits on top of what others saved meanwhile.
    ///
    /// If another property was edited on both sides, the base stays, so that the next save reports
    /// the conflict.
    ///
    /// - Returns: The row that others saved; nil if the base stays.
    private func putOnTopOfMeanwhile(_ edit: UndoStep.Edit) -> Row? {
        let object = edit.object
        guard case .changed(let new)? = object.extra?.meanwhile, !isPinned,
            let base = object.extra?.base
        else { return nil }
        // An order number belongs to its to-one.
        let orders = edit.slots.compactMap { object.plan.references[$0]?.orderSlot }
        if isClash(of: object, base, with: new, besides: orders) { return nil }
        var kept = object.editedSlots
        for slot in edit.slots { kept.insert(slot) }
        withoutRecordingUndo { rebase(object, on: new, keeping: kept) }
        return new
    }

    /// Takes an object away from the partners that others gave it in one-to-ones, unless it has
    /// them again, and connects its own partners that others parted from it or gave to a third.
    private func connectPartners(_ edit: UndoStep.Edit, _ new: Row) {
        let object = edit.object
        for slot in edit.slots {
            guard let reference = object.plan.references[slot], !reference.inverse.isToMany
            else { continue }
            let theirs = object.destinationID(of: reference, in: new)
            let mine = object.row.flatMap { object.destinationID(of: reference, in: $0) }
            if theirs == mine { continue }
            withoutRecordingUndo {
                theirs.flatMap(registerFault)?.removeInverse(reference.inverse, to: object)
            }
        }
        connectEditedPartners(of: CollectionOfOne(object))
    }

    /// Restores an object's order positions and drops its owners' records, for to-ones with the
    /// stored destination.
    private func forgetEmptyReferences(of object: ManagedObject) {
        guard let base = object.extra?.base, var row = object.mutableRow else { return }
        for reference in object.plan.toOnes where reference.inverse.isToMany {
            let owner = object.destinationID(of: reference, in: base)
            guard owner == object.destinationID(of: reference, in: row.row) else { continue }
            if let slot = reference.orderSlot, row.row.isNull(slot) {
                arena.copyValue(of: slot, from: base, to: &row, layout: object.plan.layout)
            }
            // Nothing is stored of an owner that was inserted again: its records are all that it
            // has.
            if let owner = owner.flatMap(registeredObject), !owner.isInserted {
                forgetNotes(of: object.objectID, at: owner, reference.inverse)
            }
        }
        object.adopt(row)
    }

    /// Makes objects whose edits were reverted by assignment show what others saved, because the
    /// save does not write them.
    func takeOverWhereEditsWereReverted() {
        if isPinned { return }
        for object in tracker.updated {
            guard case .changed(let row)? = object.extra?.meanwhile, object.isUpdated,
                object.editedSlots.isEmpty
            else { continue }
            withoutRecordingUndo { takeOver(row, by: object) }
            settleReferences(of: object)
        }
    }

    /// Settles the references that an object takes over from others later than at the merge: since
    /// then their destinations may have been deleted here, or may have got another partner.
    private func settleReferences(of object: ManagedObject) {
        expectRules(of: object)
        for reference in object.plan.toOnes {
            guard let partner = object.destination(of: reference), !partner.isDeleted,
                let back = partner.plan.reference(for: reference.inverse),
                partner.hasOwnDestination(of: back), partner.destination(of: back) !== object
            else { continue }
            withoutRecordingUndo {
                object.setDestination(nil, of: reference, updatesInverse: false)
            }
        }
    }

    /// Makes the delete rules due again of deleted objects that an object refers to.
    func expectRules(of object: ManagedObject) {
        for reference in object.plan.toOnes {
            guard let destination = object.destination(of: reference) else { continue }
            destination.plan.handle.livePart?.expectNewcomer(of: destination)
        }
    }

    private func forgetEmptyEdit(of edge: EdgeKey) {
        guard let isAdded = tracker.edges[edge], edge.source.isThere, edge.destination.isThere,
            let index = edge.sourceIndex,
            let stored = edge.source.extra?.state(at: index).stored,
            stored.contains(edge.destination.objectID) == isAdded
        else { return }
        let relationship = model[edge.relationship]
        let inverse = model[relationship.inverse]
        // If the list is not loaded, only the records have the positions.
        if inverse.isOrdered, edge.destination.toManyState(of: inverse)?.isLoaded != true { return }
        tracker.forget(edge)
        forgetNotes(of: edge.destination.objectID, at: edge.source, relationship)
        forgetNotes(of: edge.source.objectID, at: edge.destination, inverse)
    }

    /// Drops an owner's records of a member whose membership is as stored. In an ordered to-many,
    /// all members keep the positions from the records.
    private func forgetNotes(
        of member: ManagedObjectID, at owner: ManagedObject, _ relationship: Relationship
    ) {
        guard let state = owner.toManyState(of: relationship),
            let index = owner.plan.own(relationship)?.storage.toManyIndex
        else { return }
        guard state.order != nil else { return state.dropEdits(of: member, in: self) }
        guard state.isLoaded else { return }
        let list = owner.members(at: index)
        state.dropEdits(of: member, in: self)
        if state.resolve(of: owner, at: index, in: self) == list { return }
        state.arrange(list, in: self)
        recordUpdate(of: owner)
    }

    private func forgetEmptyEdits(of object: ManagedObject) {
        for (index, state) in (object.extra?.toManys ?? []).enumerated() {
            guard let state, !hasPairEdits(object, state, at: index),
                !hasUnnumberedMembers(state, of: object.plan.toManys[index])
            else { continue }
            state.forgetEmptyEdits(of: object, at: index, in: self)
        }
        guard object.isUpdated, object.editedSlots.isEmpty,
            object.extra?.transients?.edited.isEmpty ?? true,
            !hasToManyEdits(object)
        else { return }
        takeBackUpdate(of: object)
        object.extra?.base = nil
        let owners = object.plan.toOnes.filter(\.inverse.isToMany).compactMap { reference in
            object.destination(of: reference).map { (reference, $0) }
        }
        withoutRecordingUndo { takeOverMeanwhile(object) }
        settleReferences(of: object)
        // Another save deleted or moved the object, so that its owner here lost a member.
        for (reference, owner) in owners
        where !object.isThere || object.destination(of: reference) !== owner {
            guard let state = owner.toManyState(of: reference.inverse) else { continue }
            state.dropEdits(of: object.objectID, in: self)
            if !object.isThere { state.merge(object.objectID, isAdded: false) }
            forgetEmptyEdits(of: owner)
        }
    }

    /// Whether pairs of a many-to-many are still edits. Both sides record a pair edit, or neither.
    private func hasPairEdits(
        _ object: ManagedObject, _ state: ToManyState, at index: Int
    ) -> Bool {
        let relationship = object.plan.toManys[index]
        return relationship.isManyToMany && !tracker.edges.isEmpty
            && state.edits.contains { edit in
                registeredObject(for: edit.id).flatMap { object.pairEdit(relationship, to: $0) }
                    != nil
            }
    }

    /// Whether the next save assigns an order number to an edited member. A member that left and
    /// came back to the same place still needs its number.
    private func hasUnnumberedMembers(_ state: ToManyState, of relationship: Relationship) -> Bool {
        relationship.isOrdered
            && state.edits.contains { edit in
                guard let member = registeredObject(for: edit.id), member.isUpdated,
                    let slot = member.plan.reference(for: model[relationship.inverse])?.orderSlot
                else { return false }
                return member.row?.isNull(slot) ?? false
            }
    }

    /// Whether there is an edit of an order or of pairs.
    private func hasToManyEdits(_ object: ManagedObject) -> Bool {
        object.hasArrangedMembers
            || zip(object.plan.toManys, object.extra?.toManys ?? []).contains {
                $0.isManyToMany && $1?.hasEdits == true
            }
    }
}
