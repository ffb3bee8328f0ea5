import DuramenModel
import DuramenStore

// Conflicts about objects that were deleted here, elsewhere, or on both sides.
extension ContextPart {
    // MARK: - Deleted here

    /// Settles a deletion on both sides: the object is gone and nothing is left to save.
    func settleDeletionOnBothSides(of object: ManagedObject) {
        bury(object)
        object.extra?.base = nil
    }

    /// Settles the deletion of an object that another save changed or added a reference to.
    func settleDeletion(of object: ManagedObject, _ stored: Row, _ rule: MergeRule) {
        guard rule.prefersObject else { return dropDeletion(of: object, stored) }
        object.extra?.meanwhile = nil
        leaveOwners(of: object, in: stored)
        if object.extra?.base != nil {
            object.extra?.base = stored
        } else {
            object.realize(
                storage: stored.storage,
                words: UnsafeMutableRawPointer(mutating: stored.unsafeWords))
        }
        // The object may have new members, so its delete rules are applied again.
        object.extra?.toManys.forEach { $0?.forgetStored() }
        expectNewcomer(of: object)
    }

    /// Reverts a deletion and everything that its delete rules did.
    private func dropDeletion(of object: ManagedObject, _ stored: Row) {
        var pending = [(object, stored)]
        var restored: [ManagedObject] = []
        while let (object, row) = pending.popLast() {
            restored.append(object)
            recordNewValues(of: object, .mergePolicy)
            tracker.takeBackDeletion(of: object)
            dropAllEdits(of: object)
            object.forgetToManys()
            becomeUnchanged(object, row)
            tracker.forgetRulesOfReturned()
            for relationship in object.plan.entity.relationships {
                let inverse = model[relationship.inverse]
                for other in destinations(of: relationship, from: object) {
                    if other.flags.contains([.deleted, .cascaded]),
                        relationship.deleteRule == .cascade, !isDoomed(other),
                        let newest = newestRow(of: other)
                    {
                        pending.append((other, newest))
                    } else {
                        restoreReference(of: other, inverse, to: object)
                    }
                }
            }
            forgetMembership(of: object)
        }
        for object in restored { cutOffDeleted(from: object) }
    }

    /// Returns the newest known stored row of an object that is deleted here; nil if the store
    /// deleted it too.
    private func newestRow(of object: ManagedObject) -> Row? {
        switch object.extra?.meanwhile {
        case .changed(let row)?: row
        case .deleted?: nil
        case nil: object.extra?.base ?? object.row
        }
    }

    /// Removes references from a restored object to objects that stay deleted.
    private func cutOffDeleted(from object: ManagedObject) {
        for relationship in object.plan.entity.relationships {
            let rule = model[relationship.inverse].deleteRule
            guard relationship.isToMany || rule == .nullify || rule == .cascade else { continue }
            for other in destinations(of: relationship, from: object)
            where other.flags.contains(.deleted) {
                object.removeInverse(relationship, to: other)
            }
        }
    }

    /// Whether another deleted object cascades its deletion to an object.
    private func isDoomed(_ object: ManagedObject) -> Bool {
        guard let row = object.extra?.base ?? object.row else { return false }
        return object.plan.toOnes.contains { reference in
            reference.inverse.deleteRule == .cascade
                && object.destinationID(of: reference, in: row)
                    .flatMap(registeredHere)?.flags.contains(.deleted) == true
        }
    }

    /// Restores a reference that a delete rule had cleared.
    private func restoreReference(
        of object: ManagedObject, _ relationship: Relationship, to other: ManagedObject
    ) {
        guard let reference = object.plan.reference(for: relationship) else {
            return drop(relationship.id, from: object, to: other.objectID)
        }
        guard let base = object.extra?.base, var mine = object.mutableRow,
            mine.row.isNull(reference.slot),
            object.destinationID(of: reference, in: base) == other.objectID
        else { return }
        recordNewValues(of: object, .mergePolicy)
        let layout = object.plan.layout
        for slot in [reference.slot, reference.entitySlot, reference.orderSlot].compactMap(\.self) {
            arena.copyValue(of: slot, from: base, to: &mine, layout: layout)
        }
        object.adopt(mine)
    }

    // MARK: - Deleted elsewhere

    /// Settles the deletion elsewhere of an object that was changed here or that something here
    /// newly refers to.
    func settleMissing(
        _ id: ManagedObjectID, _ object: ManagedObject?, _ rule: MergeRule,
        _ missing: inout SettledMissing
    ) {
        guard let object, object.words != nil, !object.flags.contains(.gone) else {
            clearReferences(to: id)
            if let object { markDeletedElsewhere(object) }
            return
        }
        if rule.prefersObject {
            insertAgain(object)
            missing.insertedAgain.append(object)
        } else {
            deleteToo(object)
            missing.deletedToo.append(object)
        }
    }

    /// Inserts an object that is missing in the store again, with its ID.
    private func insertAgain(_ object: ManagedObject) {
        events?.record(object)
        if object.mutableRow == nil, let row = object.row {
            object.adopt(arena.copy(row, layout: object.plan.layout))
        }
        if let words = object.words { Row.setVersion(.unsaved, at: words) }
        object.extra?.base = nil
        object.extra?.meanwhile = nil
        object.extra?.toManys.forEach { $0?.forgetStored() }
        unmarkDeletedElsewhere(object)
        object.flags.insert(.writable)
        tracker.takeBackUpdate(of: object)
        tracker.insert(object)
        ledger.addInsertedAgain(object.objectID)
        for reference in object.plan.toOnes where reference.inverse.isToMany {
            // The store no longer lists the object as a member.
            guard let row = object.row,
                let owner = object.destinationID(of: reference, in: row).flatMap(registerFault)
            else { continue }
            dropNotes(of: object.objectID, at: owner.objectID, reference)
            owner.addInverse(reference.inverse, to: object)
        }
    }

    /// Makes the partners at one-to-ones refer back to objects that are inserted again.
    func connectPartners(ofReturned objects: [ManagedObject]) {
        for object in objects {
            for reference in object.plan.toOnes where !reference.inverse.isToMany {
                guard let row = object.row,
                    let partner = object.destinationID(of: reference, in: row)
                        .flatMap(registerFault)
                else { continue }
                connect(partner, reference.inverse, backTo: object)
            }
        }
    }

    /// Sets the reference of a partner that the save which deleted the object cleared. Another save
    /// may have given the partner to a third object since.
    private func connect(
        _ partner: ManagedObject, _ relationship: Relationship, backTo object: ManagedObject
    ) {
        guard partner.isThere, let back = partner.plan.reference(for: relationship) else { return }
        readAgainIfUnchanged(partner)
        if let third = partner.destination(of: back), third !== object {
            readAgainIfUnchanged(third)
        }
        partner.setDestination(object, of: back, updatesInverse: true)
    }

    /// Deletes an object here that another save deleted, so that its delete rules apply.
    private func deleteToo(_ object: ManagedObject) {
        if object.flags.contains(.updated) { dropAllEdits(of: object) }
        if let base = object.extra?.base { becomeUnchanged(object, base) }
        takeBackUpdate(of: object)
        object.extra?.meanwhile = nil
        object.extra?.toManys.forEach { $0?.forgetStored() }
        object.flags.remove(.deletedElsewhere)
        delete(object)
    }

    /// Applies the delete rules of objects that another save deleted. The deletions themselves need
    /// no saving.
    func settleDeletions(of objects: [ManagedObject]) {
        if objects.isEmpty { return }
        context.propagateDeletes(forSave: true)
        for object in objects {
            tracker.takeBackDeletion(of: object)
            markDeletedElsewhere(object)
        }
        tracker.forgetRulesOfReturned()
    }

    /// Clears references to an object that is not loaded here.
    private func clearReferences(to id: ManagedObjectID) {
        for object in tracker.written
        where object.flags.isDisjoint(with: [.deleted, .gone]) {
            for reference in object.plan.toOnes {
                guard let row = object.row, object.destinationID(of: reference, in: row) == id
                else { continue }
                object.setDestination(nil, of: reference, updatesInverse: false)
            }
        }
        for edge in tracker.edges.keys
        where edge.source.objectID == id || edge.destination.objectID == id {
            tracker.forget(edge)
            dropNotes(of: edge)
        }
    }
}

/// Objects that other saves deleted, by how their conflicts were settled.
struct SettledMissing {
    /// Deleted here too; their delete rules are still to be applied.
    var deletedToo: [ManagedObject] = []
    /// Inserted again; their partners are still to be connected.
    var insertedAgain: [ManagedObject] = []
}
