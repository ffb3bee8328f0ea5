import DuramenModel
import DuramenStore

// Objects with the same unique values, which merge into one.
extension ContextPart {
    /// Whether no new object would have to merge with several stored ones.
    ///
    /// A policy cannot decide which of two stored objects a new one is. Two stored objects do not
    /// merge because a third object shares a value with each.
    func canFold(_ conflicts: [MetConflict], _ decisions: [MergeDecision]) -> Bool {
        // Conflicts of one object are consecutive, one for each constraint.
        var last: (id: ManagedObjectID, other: ManagedObjectID)?
        for (conflict, decision) in zip(conflicts, decisions) {
            guard case .uniqueness(_, let other) = conflict.kind,
                conflict.stored != nil
                    || conflict.part.registeredHere(other)?.isInserted == false
            else { continue }
            let isNew = conflict.part.registeredHere(conflict.objectID)?.isInserted == true
            guard isNew || decision.rule.prefersObject else { continue }
            if let last, last.id == conflict.objectID, last.other != other { return false }
            last = (conflict.objectID, other)
        }
        return true
    }

    /// Settles a conflict of unique values, unless it no longer exists in the context.
    func settleUniqueness(
        _ conflict: MetConflict, _ constraint: UniquenessConstraint, _ otherID: ManagedObjectID,
        _ decision: MergeDecision
    ) {
        let rule = decision.rule
        guard let object = registeredHere(conflict.objectID) else { return }
        if let stored = conflict.stored, becomes(stored, object, constraint, rule) {
            apply(decision, to: object)
            return recordNewValues(of: object, .mergePolicy)
        }
        guard let other = holder(otherID, conflict.stored), object !== other,
            hasSharedValues(of: constraint, object, other)
        else { return }
        let survivor: ManagedObject
        switch (object.isInserted, other.isInserted) {
        case (true, false):
            survivor = fold(object, into: other, rule, isStored: conflict.stored != nil)
        case (false, true): survivor = fold(other, into: object, rule, isStored: false)
        case (true, true):
            let (loser, winner) = rule.prefersObject ? (other, object) : (object, other)
            if rule == .fill { takeValues(of: loser, by: winner, at: unsetSlots(of: winner)) }
            replace(loser, by: winner, keepingPairs: rule != .overwrite && rule.keepsPairs)
            survivor = winner
        case (false, false):
            guard rule.prefersObject else {
                return giveBack(constraint.slots, object, other, rule)
            }
            absorb(other, into: object, rule)
            survivor = object
        }
        apply(decision, to: survivor)
        recordNewValues(of: survivor, .mergePolicy)
    }

    /// Returns the object that already has the unique values, with its newest values.
    private func holder(_ id: ManagedObjectID, _ stored: Row?) -> ManagedObject? {
        guard let stored else { return registeredHere(id) }
        let object = register(stored)
        // Another save inserted it again; that save is not merged here yet.
        unmarkDeletedElsewhere(object)
        if !object.hasChanges, object.row?.version != stored.version {
            replaceValues(of: object, with: stored)
        }
        return object
    }

    /// Whether both objects still have the same values of a constraint and neither is deleted.
    private func hasSharedValues(
        of constraint: UniquenessConstraint, _ a: ManagedObject, _ b: ManagedObject
    ) -> Bool {
        guard a.flags.union(b.flags).isDisjoint(with: [.deleted, .gone, .deletedElsewhere]),
            let values = a.uniqueValues(of: constraint)
        else { return false }
        return values == b.uniqueValues(of: constraint)
    }

    // MARK: - A new object and a stored one

    /// Merges a new object into a stored one.
    ///
    /// - Parameters:
    ///   - object: The new object.
    ///   - stored: The stored object.
    ///   - rule: The rule that decides whose values win.
    ///   - isStored: Whether the stored object has no changes to save, so that the new object can
    ///     represent it.
    /// - Returns: The surviving object.
    private func fold(
        _ object: ManagedObject, into stored: ManagedObject, _ rule: MergeRule, isStored: Bool
    ) -> ManagedObject {
        switch rule {
        case .objectTrump, .overwrite: takeValues(of: object, by: stored, at: allSlots(of: object))
        case .fill:
            var given = allSlots(of: object)
            for slot in unsetSlots(of: object).slots { given.remove(slot) }
            takeValues(of: object, by: stored, at: given)
        case .storeTrump, .rollback: break
        }
        replace(object, by: stored, keepingPairs: rule.keepsPairs)
        guard isStored, rule != .rollback, object.plan === stored.plan else { return stored }
        takePlace(of: stored, object)
        return object
    }

    /// Makes a new object with only attributes represent the stored row that has its unique values.
    /// The stored row must not be registered in the context. This is the frequent case when data is
    /// imported again. The result is that of ``fold(_:into:_:isStored:)``, without creating an
    /// object for the stored row.
    ///
    /// - Returns: False, with nothing changed, in all other cases.
    private func becomes(
        _ stored: Row, _ object: ManagedObject, _ constraint: UniquenessConstraint,
        _ rule: MergeRule
    ) -> Bool {
        let plan = object.plan
        guard rule == .objectTrump || rule == .overwrite,
            object.flags.contains(.inserted), object.flags.isDisjoint(with: [.deleted, .gone]),
            stored.entityID == plan.entity.id, plan.toOnes.isEmpty, plan.toManys.isEmpty,
            undoRecorder == nil, events == nil, ledger.deletedElsewhere.isEmpty,
            plan.table.find(stored.key) == nil,
            let row = object.mutableRow
        else { return false }
        let kinds = plan.layout.kinds
        guard
            constraint.slots.allSatisfy({
                !row.row.isNull($0) && row.row.hasSameValue($0, kinds[$0], as: stored)
            })
        else { return false }
        let lost = object.objectID
        plan.table.remove(object.key)
        object.key = stored.key
        plan.table.insert(object, key: stored.key)
        row.setIdentity(of: stored)
        object.ensureExtra().base = stored
        tracker.becomeStored(object)
        identity.replace(lost, by: object.objectID)
        recordReplacement(of: lost, by: object.objectID)
        identity.beginEpoch()
        return true
    }

    // MARK: - Two stored objects

    /// Reverts the values that an object took from the other one, or all of its edits.
    private func giveBack(
        _ slots: [Int], _ a: ManagedObject, _ b: ManagedObject, _ rule: MergeRule
    ) {
        let taker = [a, b].first { object in
            let edited = object.editedSlots
            return slots.contains { edited.contains($0) }
        }
        guard let taker, let base = taker.extra?.base else { return }
        recordNewValues(of: taker, .mergePolicy)
        if rule == .rollback {
            dropAllEdits(of: taker)
            return becomeUnchanged(taker, base)
        }
        let references = taker.plan.toOnes.filter { slots.contains($0.slot) }
        for reference in references {
            let destination = taker.destinationID(of: reference, in: base).flatMap(registerFault)
            taker.setDestination(destination, of: reference, updatesInverse: true)
        }
        guard var mine = taker.mutableRow else { return }
        for slot in slots where !references.contains(where: { $0.slot == slot }) {
            arena.copyValue(of: slot, from: base, to: &mine, layout: taker.plan.layout)
        }
        taker.adopt(mine)
    }

    /// Merges two stored objects and deletes one of them.
    private func absorb(_ loser: ManagedObject, into survivor: ManagedObject, _ rule: MergeRule) {
        if rule == .fill, let row = survivor.row {
            var nulls = SlotSet()
            for slot in 0..<row.slotCount where row.isNull(slot) { nulls.insert(slot) }
            takeValues(of: loser, by: survivor, at: nulls)
        }
        let lost = loser.objectID
        for (index, relationship) in loser.plan.toManys.enumerated() {
            guard let own = survivor.plan.own(relationship)?.storage.toManyIndex else { continue }
            for id in loser.members(at: index) {
                if let member = registerFault(id), member !== survivor {
                    survivor.insertMember(member, at: own)
                }
            }
        }
        for reference in loser.plan.toOnes where !reference.inverse.isToMany {
            takeOver(reference, of: loser, by: survivor)
        }
        delete(loser)
        recordReplacement(of: lost, by: survivor.objectID)
    }

    // MARK: - Values

    /// Returns the slots of a new object without a given value: null or equal to the default.
    private func unsetSlots(of object: ManagedObject) -> SlotSet {
        var slots = SlotSet()
        guard let row = object.row else { return slots }
        let plan = object.plan
        for (slot, kind) in plan.layout.kinds.enumerated()
        where row.isNull(slot) || row.hasSameValue(slot, kind, as: plan.template) {
            slots.insert(slot)
        }
        return slots
    }

    /// Returns the matching attribute of a related entity; nil if that entity does not have it.
    private func counterpart(_ attribute: Attribute, _ entity: Entity) -> Attribute? {
        guard case .attribute(let own)? = entity.property(named: attribute.name),
            own.declaringEntity == attribute.declaringEntity
        else { return nil }
        return own
    }

    /// Copies values between objects, for attributes and to-ones that both have.
    private func takeValues(
        of object: ManagedObject, by target: ManagedObject, at slots: SlotSet
    ) {
        guard let row = object.row else { return }
        let plan = target.plan
        // When data is imported again, most values are equal.
        let differing =
            plan === object.plan
            ? target.row.map { row.differingSlots(from: $0, plan.layout) } : nil
        for attribute in object.plan.entity.attributes
        where slots.contains(attribute.slot) && differing?.contains(attribute.slot) != false {
            guard let own = plan === object.plan ? attribute : counterpart(attribute, plan.entity)
            else { continue }
            take(row.value(attribute.slot, attribute.kind), of: own, by: target)
        }
        for reference in object.plan.toOnes where slots.contains(reference.slot) {
            guard let own = plan.reference(for: reference.relationship) else { continue }
            let destination = object.destinationID(of: reference, in: row).flatMap(registerFault)
            if destination === object { continue }
            // A one-to-one must be cleared before its destination can refer to another object.
            if destination != nil, !reference.inverse.isToMany {
                object.setDestination(nil, of: reference, updatesInverse: true)
            }
            target.setDestination(destination, of: own, updatesInverse: true)
        }
    }
}
