import DuramenModel
import DuramenStore

// Objects that are there again after they were deleted.
extension ManagedObjectContext {
    /// Has deleted objects be there again, related as they were.
    ///
    /// - Returns: Those that are there again: not what others deleted.
    func takeBackDeletions(_ deletions: [UndoStep.Deletion]) -> Set<ManagedObject> {
        if deletions.isEmpty { return [] }
        let returned = deletions.filter { deletion in
            deletion.object.plan.handle.livePart?.takeBackDeletion(of: deletion.object) ?? false
        }
        for part in parts { part.tracker.forgetRulesOfReturned() }
        let known = Dictionary(
            returned.map { ($0.object, $0) }, uniquingKeysWith: { first, _ in first })
        for deletion in returned { main.connect(deletion, known) }
        return Set(known.keys)
    }
}

extension ContextPart {
    /// Looks whether somebody else has made saved objects again that are gone here.
    func readReturned(_ objects: [ManagedObject]) throws {
        let ids = objects.filter { $0.flags.contains(.gone) && $0.key > 0 }.map(\.objectID)
        if ids.isEmpty { return }
        reading.letGo()
        for group in ids.groups { try registerRows(of: group) }
    }

    /// Has a deleted object of this part be there again.
    ///
    /// - Returns: False when it stays away.
    func takeBackDeletion(of object: ManagedObject) -> Bool {
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
        takeOverMeanwhileKeepingEdits(object)
        return object.isThere
    }

    private func recordReturn(of object: ManagedObject) {
        if events?.record(object) == true { events?.recordInsertion(object) }
        undoRecorder?.recordInsertion(of: object)
    }

    /// Takes a fault that somebody made by the ID of an object that is gone out of the way.
    ///
    /// - Returns: False when it is an object that somebody made again.
    private func makeRoom(for object: ManagedObject) -> Bool {
        guard let other = object.plan.table.find(object.key), other !== object else { return true }
        if other.words != nil, other.isThere { return false }
        if !other.flags.isDisjoint(with: .pinning) { return false }
        other.flags.insert(.gone)
        ledger.forgetDeletedElsewhere(object.objectID)
        return true
    }

    /// Makes an object that is gone a new one, with the same ID.
    private func insertAnew(_ object: ManagedObject) {
        object.forgetToManys()
        if let row = object.row {
            // It may stand in a block that others read.
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

    /// Gives an object whose deletion was taken back what others saved meanwhile.
    private func takeOverMeanwhileKeepingEdits(_ object: ManagedObject) {
        guard object.flags.contains(.updated) else {
            return withoutRecordingUndo { takeOverMeanwhile(object) }
        }
        // What others deleted is a conflict of the next save, as with any edited object.
        guard case .changed(let row)? = object.extra?.meanwhile, !isPinned else { return }
        object.extra?.meanwhile = nil
        withoutRecordingUndo { takeOver(row, by: object) }
    }

    // MARK: - Relationships

    /// Leads an object that is there again where it led, as far as that is there.
    ///
    /// - Parameter returned: All objects that are there again.
    fileprivate func connect(
        _ deletion: UndoStep.Deletion, _ returned: [ManagedObject: UndoStep.Deletion]
    ) {
        let object = deletion.object
        let known = Dictionary(uniqueKeysWithValues: deletion.destinations)
        for reference in object.plan.toOnes {
            // Where nothing here changed it, it leads where others had it lead meanwhile.
            let isStored = !object.isInserted && !object.hasOwnDestination(of: reference)
            let led = isStored ? object.destination(of: reference) : known[reference.slot]
            if let destination = led.flatMap({ destination($0, of: reference) }) {
                if let back = destination.plan.reference(for: reference.inverse) {
                    // Meanwhile others may have set a third object's reference to one of the two.
                    // That reference stays.
                    object.setDestination(destination, of: reference, updatesInverse: false)
                    if !isShared(destination, by: object, back, returned) {
                        destination.setDestination(object, of: back, updatesInverse: false)
                    }
                    continue
                }
                object.setDestination(destination, of: reference, updatesInverse: true)
                // Where it led all the time, the other side forgot it.
                if isStored, reference.inverse.isOrdered, !destination.isInserted {
                    destination.tellingMerge(toMany: reference.inverse) {
                        destination.dropEdits(of: object, reference.inverse)
                    }
                } else {
                    destination.addInverse(reference.inverse, to: object)
                }
            } else if !isStored {
                object.setDestination(nil, of: reference, updatesInverse: false)
            }
        }
        for (index, ids) in deletion.members {
            let relationship = object.plan.toManys[index]
            guard relationship.isManyToMany, !object.isInserted else {
                for id in ids { connect(object, relationship, to: id) }
                continue
            }
            // Others may have added pairs meanwhile, which the delete rules here hid, and taken out
            // some. Of a pair with itself the rules took both sides.
            showHidden(object, relationship, at: index)
            for id in object.members(at: index) { connect(object, relationship, to: id) }
            if ids.contains(object.objectID), hasPairWithItself(object, relationship, at: index) {
                connect(object, relationship, to: object.objectID)
            }
        }
    }

    /// Whether the other end of a one-to-one has a third object as its destination, or had one
    /// before it was deleted.
    ///
    /// Two contexts changed one end each then, and no save has settled that yet.
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

    /// Shows members that were hidden while they were gone, if nobody here edited their pairs.
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
        // All that a new object leads to was read: what is still a fault is not in the store.
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
            // A later step could not have it lead to what was gone.
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
    /// Whether an edit here adds a pair, or takes it out; nil when no edit does.
    final func pairEdit(_ relationship: Relationship, to other: ManagedObject) -> Bool? {
        guard let part = plan.handle.livePart else { return nil }
        return part.tracker.edges[part.edgeKey(relationship, from: self, to: other).key]
    }

    fileprivate final func dropEdits(of member: ManagedObject, _ relationship: Relationship) {
        guard let part = plan.handle.livePart else { return }
        toManyState(of: relationship)?.dropEdits(of: member.objectID, in: part)
    }

    /// What pairs of many-to-manys led to before edits, or delete rules, took it out.
    final var hiddenPartners: [ManagedObjectID] {
        plan.toManys.indices.filter { plan.toManys[$0].isManyToMany }.flatMap(hiddenPartners)
    }

    final func hiddenPartners(at index: Int) -> [ManagedObjectID] {
        guard let states = extra?.toManys, !states.isEmpty, let state = states[index] else {
            return []
        }
        return Set(state.edits.lazy.filter { !$0.isAdded }.map(\.id)).sorted()
    }

    /// Whether a to-one was changed here since it was read.
    fileprivate final func hasOwnDestination(of reference: ReferencePlan) -> Bool {
        guard let base = extra?.base, let row else { return false }
        return destinationID(of: reference, in: base) != destinationID(of: reference, in: row)
    }

    /// Takes members out of to-manys that do not lead here, since a deleted object is not told of
    /// what happens to its members.
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
