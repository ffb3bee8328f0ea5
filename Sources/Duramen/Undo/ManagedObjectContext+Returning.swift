import DuramenModel
import DuramenStore

// Restoring deleted objects.
extension ManagedObjectContext {
    /// Restores deleted objects with their relationships.
    ///
    /// - Returns: The restored objects; objects that others deleted are not among them.
    func takeBackDeletions(_ deletions: [UndoStep.Deletion]) -> Set<ManagedObject> {
        if deletions.isEmpty { return [] }
        let returned = deletions.filter { deletion in
            deletion.object.plan.handle.livePart?
                .takeBackDeletion(of: deletion.object, deletion.destinations) ?? false
        }
        for part in parts { part.tracker.forgetRulesOfReturned() }
        let known = Dictionary(
            returned.map { ($0.object, $0) }, uniquingKeysWith: { first, _ in first })
        for deletion in returned { main.connect(deletion, known) }
        // When all are back, because an owner may be among them.
        for deletion in returned {
            deletion.object.plan.handle.livePart?.expectRules(of: deletion.object)
        }
        return Set(known.keys)
    }
}

extension ContextPart {
    /// Checks whether others have inserted saved objects again that are gone here.
    func readReturned(_ objects: [ManagedObject]) throws {
        let ids = objects.filter { $0.flags.contains(.gone) && $0.key > 0 }.map(\.objectID)
        if ids.isEmpty { return }
        reading.letGo()
        for group in ids.groups { try registerRows(of: group) }
    }

    /// Restores a deleted object of this part.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - destinations: The destinations of its to-ones before the deletion, by slot.
    /// - Returns: False if it cannot be restored.
    func takeBackDeletion(
        of object: ManagedObject, _ destinations: [(slot: Int, destination: ManagedObject)] = []
    ) -> Bool {
        if isStoreRemoved || object.words == nil { return false }
        if object.flags.contains(.gone) {
            guard makeRoom(for: object) else { return false }
            recordReturn(of: object)
            insertAnew(object)
            return true
        }
        guard object.flags.contains(.deleted) else { return false }
        recordReturn(of: object)
        tracker.takeBackDeletion(of: object)
        object.flags.remove(.calledWillSave)
        takeOverMeanwhileKeepingEdits(object, destinations)
        return object.isThere
    }

    private func recordReturn(of object: ManagedObject) {
        if events?.record(object) == true { events?.recordInsertion(object) }
        undoRecorder?.recordInsertion(of: object)
    }

    /// Removes a fault that was created for the ID of an object that is gone.
    ///
    /// - Returns: False if another object with this ID was inserted again.
    private func makeRoom(for object: ManagedObject) -> Bool {
        guard let other = object.plan.table.find(object.key), other !== object else { return true }
        if other.words != nil, other.isThere { return false }
        if !other.flags.isDisjoint(with: .pinning) { return false }
        other.flags.insert(.gone)
        ledger.forgetDeletedElsewhere(object.objectID)
        return true
    }

    /// Inserts an object that is gone as a new one, with its ID.
    private func insertAnew(_ object: ManagedObject) {
        object.forgetToManys()
        if let row = object.row {
            // The row may be in a block that others read.
            object.adopt(arena.copy(row, layout: object.plan.layout))
        }
        if let words = object.words { Row.setVersion(.unsaved, at: words) }
        object.extra?.base = nil
        object.extra?.meanwhile = nil
        tracker.reflag(object, object.plan.objectFlags.union(.writable))
        tracker.insert(object)
        object.plan.table.insert(object, key: object.key)
        if object.key > 0 { ledger.addInsertedAgain(object.objectID) }
    }

    /// Merges saves of others meanwhile into an object whose deletion was undone.
    ///
    /// Delete rules may have cleared a destination that was edited here. If others changed it too,
    /// that is a conflict of the next save.
    private func takeOverMeanwhileKeepingEdits(
        _ object: ManagedObject, _ destinations: [(slot: Int, destination: ManagedObject)]
    ) {
        guard object.flags.contains(.updated) else {
            return withoutRecordingUndo { takeOverMeanwhile(object) }
        }
        // A deletion by others is a conflict of the next save, as with any edited object.
        guard case .changed(let row)? = object.extra?.meanwhile, !isPinned else { return }
        let isClash = destinations.contains { slot, destination in
            // Without a base, only pairs were edited.
            guard let reference = object.plan.references[slot], let base = object.extra?.base
            else { return false }
            let stored = object.destinationID(of: reference, in: base)
            return destination.objectID != stored
                && object.destinationID(of: reference, in: row) != stored
        }
        if isClash { return }
        object.extra?.meanwhile = nil
        withoutRecordingUndo { takeOver(row, by: object) }
    }

    // MARK: - Relationships

    /// Restores the relationships of a restored object, as far as their destinations exist.
    ///
    /// - Parameters:
    ///   - deletion: The undone deletion.
    ///   - returned: All restored objects.
    fileprivate func connect(
        _ deletion: UndoStep.Deletion, _ returned: [ManagedObject: UndoStep.Deletion]
    ) {
        let object = deletion.object
        let known = Dictionary(uniqueKeysWithValues: deletion.destinations)
        for reference in object.plan.toOnes {
            // A to-one that was not changed here keeps the destination that others saved meanwhile.
            let isStored = !object.isInserted && !object.hasOwnDestination(of: reference)
            let led = isStored ? object.destination(of: reference) : known[reference.slot]
            if let destination = led.flatMap({ destination($0, of: reference) }) {
                if let back = destination.plan.reference(for: reference.inverse) {
                    // Meanwhile others may have set a third object's reference to one of the two.
                    // That reference stays.
                    object.setDestination(destination, of: reference, updatesInverse: false)
                    if !isShared(destination, by: object, back, returned) {
                        destination.setDestination(object, of: back, updatesInverse: true)
                    }
                    continue
                }
                object.setDestination(destination, of: reference, updatesInverse: true)
                // The to-one is unchanged, but the inverse had dropped the object.
                if isStored, reference.inverse.isOrdered, !destination.isInserted {
                    destination.tellingMerge(toMany: reference.inverse) {
                        destination.dropEdits(of: object, reference.inverse)
                    }
                } else {
                    destination.addInverse(reference.inverse, to: object)
                }
            } else if !isStored, !isConnected(object, reference) {
                object.setDestination(nil, of: reference, updatesInverse: false)
            }
        }
        for (index, ids) in deletion.members {
            let relationship = object.plan.toManys[index]
            guard relationship.isManyToMany, !object.isInserted else {
                for id in ids { connect(object, relationship, to: id) }
                continue
            }
            // Meanwhile others may have added pairs, which the delete rules here hid, and removed
            // some. For a pair of the object with itself, the rules removed both sides.
            showHidden(object, relationship, at: index)
            for id in object.members(at: index) { connect(object, relationship, to: id) }
            if ids.contains(object.objectID), hasPairWithItself(object, relationship, at: index) {
                connect(object, relationship, to: object.objectID)
            }
        }
    }

    /// Whether the partner of a one-to-one has a third object as its destination, or had one before
    /// it was deleted.
    ///
    /// Two contexts then changed one side each, and no save has settled that yet.
    private func isShared(
        _ destination: ManagedObject, by object: ManagedObject, _ back: ReferencePlan,
        _ returned: [ManagedObject: UndoStep.Deletion]
    ) -> Bool {
        let end =
            if let known = returned[destination] {
                known.destinations.first { $0.slot == back.slot }?.destination
            } else {
                destination.destination(of: back)
            }
        return end != nil && end !== object
    }

    /// Whether a one-to-one is set at both ends, by a partner that was restored before.
    private func isConnected(_ object: ManagedObject, _ reference: ReferencePlan) -> Bool {
        // Others may have deleted what the object referred to before, so nothing is loaded.
        guard let row = object.row, let id = object.destinationID(of: reference, in: row),
            let partner = registeredObject(for: id), partner.isThere, partner.words != nil,
            let back = partner.plan.reference(for: reference.inverse)
        else { return false }
        return partner.destination(of: back) === object
    }

    /// Shows members that were hidden while they were gone, if their pairs were not edited here.
    private func showHidden(
        _ object: ManagedObject, _ relationship: Relationship, at index: Int
    ) {
        for id in object.hiddenPartners(at: index) {
            guard let member = living(id), member.words != nil,
                object.pairEdit(relationship, to: member) == nil
            else { continue }
            object.dropEdits(of: member, relationship)
        }
    }

    private func hasPairWithItself(
        _ object: ManagedObject, _ relationship: Relationship, at index: Int
    ) -> Bool {
        object.pairEdit(relationship, to: object)
            ?? (object.ensureExtra().state(at: index).stored?.contains(object.objectID) == true)
    }

    fileprivate func connect(
        _ object: ManagedObject, _ relationship: Relationship, to id: ManagedObjectID
    ) {
        guard let index = relationship.storage.toManyIndex else { return }
        // All destinations of a new object were loaded: a remaining fault is not in the store.
        guard let member = living(id), member.words != nil || !object.isInserted else {
            return object.recordMember(id, at: index, isAdded: false)
        }
        if case .inverseOfToOne = relationship.storage {
            guard
                let back = member.plan.reference(
                    for: object.plan.handle.model[relationship.inverse]), let row = member.row
            else { return }
            switch member.destinationID(of: back, in: row) {
            case object.objectID: object.recordMember(member.objectID, at: index, isAdded: true)
            // A later step could not refer to an object that was gone.
            case nil where object.isInserted:
                member.setDestination(object, of: back, updatesInverse: true)
            default: return
            }
        } else if object.isInserted {
            object.insertMember(member, at: index)
        } else if let inverse = member.plan.own(object.plan.handle.model[relationship.inverse]),
            let back = inverse.storage.toManyIndex
        {
            if object.pairEdit(relationship, to: member) == nil {
                // The store has the pair, which the delete rules hid. An edit would outlive it.
                member.dropEdits(of: object, inverse)
            } else {
                member.recordMember(object.objectID, at: back, isAdded: true)
            }
        }
    }
}

extension ManagedObject {
    /// Returns whether an edit here adds or removes a pair; nil without such an edit.
    final func pairEdit(_ relationship: Relationship, to other: ManagedObject) -> Bool? {
        guard let part = plan.handle.livePart else { return nil }
        return part.tracker.edges[part.edgeKey(relationship, from: self, to: other).key]
    }

    fileprivate final func dropEdits(of member: ManagedObject, _ relationship: Relationship) {
        guard let part = plan.handle.livePart else { return }
        toManyState(of: relationship)?.dropEdits(of: member.objectID, in: part)
    }

    /// The objects in many-to-many pairs that edits or delete rules removed.
    final var hiddenPartners: [ManagedObjectID] {
        plan.toManys.indices.filter { plan.toManys[$0].isManyToMany }.flatMap(hiddenPartners)
    }

    final func hiddenPartners(at index: Int) -> [ManagedObjectID] {
        guard let states = extra?.toManys, !states.isEmpty, let state = states[index] else {
            return []
        }
        return Set(state.edits.lazy.filter { !$0.isAdded }.map(\.id)).sorted()
    }

    /// Whether a to-one was changed here since it was loaded.
    final func hasOwnDestination(of reference: ReferencePlan) -> Bool {
        guard let base = extra?.base, let row else { return false }
        return destinationID(of: reference, in: base) != destinationID(of: reference, in: row)
    }

    /// Removes members that do not refer to this object, because a deleted object is not notified
    /// of changes to its members.
    final func dropStrangers() {
        let part = plan.handle.part(for: self)
        for (index, relationship) in plan.toManys.enumerated() {
            guard case .inverseOfToOne = relationship.storage, let states = extra?.toManys,
                !states.isEmpty, let state = states[index]
            else { continue }
            for id in Set((state.stored ?? []) + state.edits.map(\.id)) {
                guard let member = part.registeredObject(for: id), let row = member.row,
                    let back = member.plan.reference(for: part.model[relationship.inverse]),
                    member.destinationID(of: back, in: row) != objectID
                else { continue }
                recordMember(member.objectID, at: index, isAdded: false)
            }
        }
    }
}
