import DuramenModel
import DuramenStore

// Conflicts about an object that another save changed or deleted.
extension ContextPart {
    /// Settles a version conflict, unless it no longer exists in the context.
    ///
    /// - Parameters:
    ///   - conflict: The conflict.
    ///   - decision: The decision of the merge policy.
    ///   - missing: Collects objects deleted by other saves, for what is left to do for them.
    func settleVersion(
        _ conflict: MetConflict, _ decision: MergeDecision, _ missing: inout SettledMissing
    ) {
        let object = registeredHere(conflict.objectID)
        if let base = conflict.base, let object {
            let known = object.extra?.base ?? object.row
            if known?.version != base.version { return }
        }
        let isDeletedHere = object?.flags.contains(.deleted) == true
        switch (conflict.stored, object) {
        case (nil, let object?) where isDeletedHere: settleDeletionOnBothSides(of: object)
        case (nil, _):
            settleMissing(conflict.objectID, object, decision.rule, &missing)
        case (let stored?, let object?) where isDeletedHere:
            settleDeletion(of: object, stored, decision.rule)
        case (let stored?, let object?) where object.isUpdated:
            settleEdits(of: object, stored, decision.rule)
        default: return
        }
        if let object {
            apply(decision, to: object)
            if object.isThere { recordNewValues(of: object, .mergePolicy) }
        }
    }

    // MARK: - Changed on both sides

    /// Applies the edits that a rule keeps on top of the stored row.
    private func settleEdits(of object: ManagedObject, _ stored: Row, _ rule: MergeRule) {
        forgetMembership(of: object)
        switch rule {
        case .storeTrump:
            drop(clashes(of: object, with: stored), of: object)
            object.extra?.toManys.forEach { $0?.order?.yieldToStored() }
        case .objectTrump: break
        case .fill:
            let nulls = clashes(of: object, with: stored).filter { object.row?.isNull($0) == true }
            drop(nulls, of: object)
        case .overwrite: break
        case .rollback: dropAllEdits(of: object)
        }
        let kept = rule == .overwrite ? allSlots(of: object) : object.editedSlots
        if let row = object.row {
            for reference in object.plan.toOnes {
                let mine = object.destinationID(of: reference, in: row)
                let theirs = object.destinationID(of: reference, in: stored)
                if mine == theirs { continue }
                if reference.inverse.isToMany {
                    recordKeptReference(of: object, reference, mine, kept)
                } else {
                    settlePartners(of: object, reference, mine, theirs, kept)
                }
            }
        }
        if rule == .rollback {
            becomeUnchanged(object, stored)
        } else if object.extra?.base != nil {
            rebase(object, on: stored, keeping: kept)
        }
        if rule == .overwrite { restorePairs(of: object) }
        forgetMembership(of: object)
    }

    /// Returns the slots of attributes, to-ones and orders that both sides changed to different
    /// values.
    private func clashes(of object: ManagedObject, with stored: Row) -> [Int] {
        guard let base = object.extra?.base, let row = object.row else { return [] }
        let kinds = object.plan.entity.layout.kinds
        return object.editedSlots.slots.filter { slot in
            kinds[slot] != .referenceEntity && !stored.hasSameValue(slot, kinds[slot], as: base)
                && !stored.hasSameValue(slot, kinds[slot], as: row)
        }
    }

    /// Reverts the edits of some slots.
    private func drop(_ slots: [Int], of object: ManagedObject) {
        let plan = object.plan
        guard let base = object.extra?.base else { return }
        for reference in plan.toOnes where slots.contains(reference.slot) {
            dropEdit(of: reference, of: object, base)
        }
        for slot in slots {
            if let reference = plan.toOnes.first(where: { $0.orderSlot == slot }) {
                order(of: object, reference)?.yieldToStored()
            }
            guard var mine = object.mutableRow else { continue }
            arena.copyValue(of: slot, from: base, to: &mine, layout: plan.layout)
            object.adopt(mine)
        }
    }

    /// Reverts all edits of an object, including those of its pairs and its position in ordered
    /// to-manys.
    func dropAllEdits(of object: ManagedObject) {
        for reference in object.plan.toOnes where reference.orderSlot != nil {
            order(of: object, reference)?.putBack(object.objectID, in: self)
        }
        dropEdits(of: object)
        for (index, state) in (object.extra?.toManys ?? []).enumerated() {
            guard let state, let order = state.order, order.isArranged else { continue }
            takeNumbersBack(of: object.members(at: index), in: object.plan.toManys[index])
            state.forgetArrangement()
        }
    }

    /// Restores the order numbers of members, which an attempt to save may have changed.
    private func takeNumbersBack(of members: [ManagedObjectID], in relationship: Relationship) {
        for member in members.compactMap(registeredHere) {
            guard let reference = member.plan.reference(for: model[relationship.inverse]),
                let slot = reference.orderSlot, let base = member.extra?.base,
                !member.editedSlots.contains(reference.slot), var mine = member.mutableRow
            else { continue }
            arena.copyValue(of: slot, from: base, to: &mine, layout: member.plan.layout)
            member.adopt(mine)
        }
    }

    /// Returns the order of the to-many that contains an object; nil if it has none or none is
    /// loaded.
    private func order(of object: ManagedObject, _ reference: ReferencePlan) -> MemberOrder? {
        guard let row = object.extra?.base ?? object.row,
            let owner = object.destinationID(of: reference, in: row).flatMap(registeredHere)
        else { return nil }
        return owner.toManyState(of: reference.inverse)?.order
    }

    /// Gives an object its stored values and removes it from the changed objects.
    func becomeUnchanged(_ object: ManagedObject, _ stored: Row) {
        object.realize(
            storage: stored.storage, words: UnsafeMutableRawPointer(mutating: stored.unsafeWords))
        if let extra = object.extra {
            extra.base = nil
            extra.meanwhile = nil
            extra.faultError = nil
            extra.transients = extra.transients.map { TransientValues($0.saved) }
        }
        takeBackUpdate(of: object)
    }

    // MARK: - Overwriting

    func allSlots(of object: ManagedObject) -> SlotSet {
        var slots = SlotSet()
        for slot in 0..<object.plan.layout.slotCount { slots.insert(slot) }
        return slots
    }

    /// Restores the pairs of an object that were loaded here.
    private func restorePairs(of object: ManagedObject) {
        for (index, relationship) in object.plan.toManys.enumerated() {
            guard case .manyToMany = relationship.storage, let extra = object.extra,
                index < extra.toManys.count, let state = extra.toManys[index], state.isLoaded
            else { continue }
            let mine = object.members(at: index)
            state.forgetStored()
            let theirs = object.members(at: index)
            let known = Set(theirs)
            for id in mine where !known.contains(id) {
                if let member = registerFault(id) { object.insertMember(member, at: index) }
            }
            let wanted = Set(mine)
            for id in theirs where !wanted.contains(id) {
                if let member = registerFault(id) { object.removeMember(member, at: index) }
            }
            if relationship.isOrdered { object.arrangeMembers(mine, at: index) }
        }
    }

    // MARK: - Inverses of to-ones

    /// Records the destination of a reference that another save changed, but whose value here is
    /// kept.
    private func recordKeptReference(
        of object: ManagedObject, _ reference: ReferencePlan, _ mine: ManagedObjectID?,
        _ kept: SlotSet
    ) {
        guard let mine, kept.contains(reference.slot),
            !object.editedSlots.contains(reference.slot)
        else { return }
        registerFault(mine)?.addInverse(reference.inverse, to: object)
    }

    /// Updates the partners of a one-to-one, whose rows the other save changed too, to match the
    /// object's new destination.
    private func settlePartners(
        of object: ManagedObject, _ reference: ReferencePlan, _ mine: ManagedObjectID?,
        _ theirs: ManagedObjectID?, _ kept: SlotSet
    ) {
        let isKept = kept.contains(reference.slot)
        if let partner = theirs.flatMap(registerFault) {
            readAgainIfUnchanged(partner)
            if isKept, leads(partner, to: object, reference.inverse) {
                partner.removeInverse(reference.inverse, to: object)
            }
        }
        if let partner = mine.flatMap(registerFault) {
            readAgainIfUnchanged(partner)
            if isKept, let back = partner.plan.reference(for: reference.inverse) {
                partner.setDestination(object, of: back, updatesInverse: false)
            }
        }
    }

    private func leads(
        _ partner: ManagedObject, to object: ManagedObject, _ relationship: Relationship
    ) -> Bool {
        guard let back = partner.plan.reference(for: relationship), let row = partner.row else {
            return false
        }
        return partner.destinationID(of: back, in: row) == object.objectID
    }

    /// Reloads an object without edits. If that fails, the next save loads it again and reports the
    /// error.
    func readAgainIfUnchanged(_ object: ManagedObject) {
        guard object.key > 0,
            object.flags.isDisjoint(with: [.updated, .inserted, .deleted, .gone]),
            let row = try? readRow(object.objectID)
        else { return }
        recordNewValues(of: object, .refresh)
        object.realize(
            storage: row.storage, words: UnsafeMutableRawPointer(mutating: row.unsafeWords))
    }
}
