import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Moves the changes of a child into its parent.
    func moveToParent() throws {
        for part in parts where part.isStoreRemoved {
            if let object = part.tracker.inserted.first {
                throw part.storeRemoved(object.objectID)
            }
        }
        let moves = openParts.compactMap { part in
            part.hasOwnChanges ? part.parentPart.map { MoveToParent(part, $0) } : nil
        }
        parent?.endUndoEvent()
        var conflicts: [MetConflict] = []
        for move in moves { conflicts += try move.conflicts() }
        if !conflicts.isEmpty { throw SaveConflictError(conflicts) }
        for move in moves { try move.run() }
        for part in openParts { part.commitToManys() }
        for part in parts {
            if !part.hasOwnChanges { part.compactChanges() }
        }
        parent?.propagateDeletes()
        parent?.endUndoEvent()
        if !moves.isEmpty { main.scheduleEndOfUnit() }
    }
}

/// The move of changes from the part of a child to the part of its parent.
private struct MoveToParent {
    private let child: ContextPart
    private let parent: ContextPart
    private let pending: PendingSave

    init(_ child: ContextPart, _ parent: ContextPart) {
        self.child = child
        self.parent = parent
        pending = PendingSave(
            ChangeSet(), SavedChanges(), inserted: ContiguousArray(child.tracker.inserted),
            updated: ContiguousArray(child.tracker.updated.lazy.filter(\.isUpdated)),
            deleted: Array(child.tracker.deleted))
    }

    // MARK: - Finding conflicts

    /// Returns conflicts with deletions in the parent, after loading the objects to change into the
    /// parent.
    func conflicts() throws -> [MetConflict] {
        parent.context.propagateDeletes()
        try readChangedObjects()
        var missing: Set<ManagedObjectID> = []
        for object in pending.updated where isEdited(object) {
            // Objects that exist in the parent were loaded just now.
            let known = parent.registeredHere(object.objectID)
            if known?.isThere != true || known?.words == nil { missing.insert(object.objectID) }
        }
        missing.formUnion(try missingEnds())
        return missing.sorted().map { id in
            let object = child.registeredHere(id)
            return MetConflict(
                .version, child, id, object, base: object?.extra?.base ?? object?.row,
                stored: nil)
        }
    }

    private func readChangedObjects() throws {
        let ids = pending.updated.filter(isEdited).map(\.objectID).filter { id in
            guard let known = parent.registeredHere(id) else { return !isMissing(id) }
            return known.words == nil && known.isThere
        }
        for group in ids.groups { try parent.registerRows(of: group) }
    }

    /// Returns the destinations of new references and pairs that the parent does not have.
    private func missingEnds() throws -> Set<ManagedObjectID> {
        var ends: Set<ManagedObjectID> = []
        for object in pending.inserted + pending.updated {
            for reference in editedReferences(of: object)
            where reference.inverse.deleteRule != .noAction {
                guard let row = object.row else { continue }
                if let end = object.destinationID(of: reference, in: row) { ends.insert(end) }
            }
        }
        for (edge, isAdded) in child.tracker.edges where isAdded && edge.isLive {
            ends.formUnion([edge.source.objectID, edge.destination.objectID])
        }
        return try missing(of: ends.filter { child.registeredHere($0)?.isInserted != true })
    }

    /// The two objects of each pair to remove. An object that the parent no longer has is in no
    /// pair.
    private var endsOfRemovedPairs: Set<ManagedObjectID> {
        var ends: Set<ManagedObjectID> = []
        for (edge, isAdded) in child.tracker.edges where !isAdded && edge.isLive {
            ends.formUnion([edge.source.objectID, edge.destination.objectID])
        }
        return ends.filter { child.registeredHere($0)?.isInserted != true }
    }

    /// Returns the objects that the parent does not have. Queries objects that are not registered
    /// there.
    private func missing(of ids: Set<ManagedObjectID>) throws -> Set<ManagedObjectID> {
        var missing = ids.filter { !isKnown($0) }
        for group in Array(missing).groups {
            for row in try parent.shownRows(for: group) {
                missing.remove(row.objectID(in: parent.model, store: parent.handle.store))
            }
        }
        return missing
    }

    /// Whether the parent has loaded an object and not deleted it.
    private func isKnown(_ id: ManagedObjectID) -> Bool {
        guard let known = parent.registeredHere(id) else { return false }
        return known.words != nil && known.isThere
    }

    /// Whether values of an object differ from the parent's; pairs do not count.
    private func isEdited(_ object: ManagedObject) -> Bool { !object.editedSlots.isEmpty }

    /// Whether the parent and its ancestors no longer have an object.
    private func isMissing(_ id: ManagedObjectID) -> Bool {
        if child.registeredHere(id)?.isInserted == true { return false }
        var next: ContextPart? = parent
        while let part = next {
            if let known = part.registeredHere(id) {
                if !known.isThere { return true }
                if known.words != nil { return false }
            }
            next = part.parentPart
        }
        return id.isTemporaryID
    }

    private func editedReferences(of object: ManagedObject) -> [ReferencePlan] {
        if object.isInserted { return object.plan.toOnes }
        let edited = object.editedSlots
        return object.plan.toOnes.filter {
            edited.contains($0.slot) || $0.entitySlot.map(edited.contains) == true
        }
    }

    // MARK: - Moving

    func run() throws {
        let lists = try orderedLists()
        let gone = try missing(of: Set(pending.deleted.map(\.objectID)).union(endsOfRemovedPairs))
        for object in pending.inserted { insert(object) }
        for object in pending.inserted + pending.updated where !isMissing(object.objectID) {
            move(object)
        }
        for (edge, isAdded) in child.tracker.edges where edge.isLive {
            let ends = [edge.source.objectID, edge.destination.objectID]
            if gone.isDisjoint(with: ends) { move(edge, isAdded) }
        }
        for list in lists { move(list) }
        let deleted = pending.deleted.filter { !gone.contains($0.objectID) }
        for object in deleted { cutOff(object) }
        if !deleted.isEmpty { cutOffPairs(gone) }
        for object in deleted {
            if let target = parent.registerFaultHere(object.objectID) { parent.delete(target) }
        }
        child.postDidSave(pending, nil)
        let done = PendingSave(
            ChangeSet(), SavedChanges(), inserted: pending.inserted, updated: [],
            deleted: pending.deleted)
        child.recordForLists(saved: pending.updated, deleted: [])
        child.finish(
            done, insertedVersions: done.inserted.map { _ in .unsaved }, updatedVersions: [])
    }

    /// Inserts a new object with the attributes of the child's object. Its relationships are set
    /// after all objects are inserted.
    private func insert(_ object: ManagedObject) {
        let plan = parent.plans[object.plan.entity.id.index]
        guard let row = object.row else { return }
        let own = parent.arena.copy(row, layout: plan.layout)
        for reference in plan.toOnes {
            own.setNull(reference.slot)
            if let slot = reference.entitySlot { own.setNull(slot) }
            if let slot = reference.orderSlot { own.setNull(slot) }
        }
        // No insertion hook is called, because the child called it. The parent may already have a
        // fault for the ID.
        guard let made = parent.registerFaultHere(object.objectID) else { return }
        if made.flags.contains(.deleted), takeBackDeletion(of: made, row) { return }
        // Others may have deleted it, and the child inserts it again.
        parent.unmarkDeletedElsewhere(made)
        parent.tracker.takeBackUpdate(of: made)
        made.extra?.base = nil
        made.extra?.meanwhile = nil
        made.adopt(own)
        made.flags.insert(.writable)
        parent.tracker.insert(made)
        if made.key > 0 { parent.ledger.addInsertedAgain(made.objectID) }
        parent.events?.recordInsertion(made)
        parent.undoRecorder?.recordInsertion(of: made)
    }

    /// Restores an object that an earlier save of the child deleted. Its relationships are set
    /// later.
    ///
    /// - Returns: Whether the object is there again; false if others deleted it too.
    private func takeBackDeletion(of target: ManagedObject, _ row: Row) -> Bool {
        guard parent.takeBackDeletion(of: target), let known = target.row else { return false }
        parent.tracker.forgetRulesOfReturned()
        let plan = target.plan
        for slot in plan.entity.attributes.map(\.slot)
        where !row.hasSameValue(slot, plan.layout.kinds[slot], as: known) {
            target.copyAttribute(slot, from: row)
        }
        for reference in plan.toOnes {
            target.setDestination(nil, of: reference, updatesInverse: false)
        }
        return true
    }

    /// Applies the child's edits to the parent's object.
    private func move(_ object: ManagedObject) {
        guard let target = parent.registerFaultHere(object.objectID) else { return }
        if let row = object.row {
            if !object.isInserted { moveAttributes(of: object, row, to: target) }
            for reference in editedReferences(of: object) {
                guard let own = target.plan.references[reference.slot] else { continue }
                let id = object.destinationID(of: reference, in: row)
                target.setDestination(
                    id.flatMap(parent.registerFault), of: own, updatesInverse: true)
            }
        }
        guard let values = object.extra?.transients else { return }
        for index in values.edited {
            if let value = values.current[index] {
                target.setTransientValue(value, at: index)
            } else {
                target.unsetTransientValue(at: index)
            }
        }
    }

    private func moveAttributes(of object: ManagedObject, _ row: Row, to target: ManagedObject) {
        let edited = object.editedSlots
        let slots = object.plan.entity.attributes.map(\.slot).filter(edited.contains)
        if slots.isEmpty { return }
        if !target.flags.contains(.writable) && !target.becomeWritable() { return }
        guard var own = target.mutableRow else { return }
        for slot in slots {
            target.telling(slot: slot) {
                parent.arena.copyValue(of: slot, from: row, to: &own, layout: target.plan.layout)
            }
        }
        target.adopt(own)
    }

    /// Clears references of a deleted object that the child had cleared, so that the parent's
    /// delete rules do not follow them.
    private func cutOff(_ object: ManagedObject) {
        let references = editedReferences(of: object).filter(\.relationship.reachesDestinations)
        if references.isEmpty { return }
        guard let target = parent.registerFaultHere(object.objectID) else { return }
        for reference in references {
            guard let own = target.plan.references[reference.slot] else { continue }
            target.setDestination(nil, of: own, updatesInverse: true)
        }
    }

    /// Removes pairs between a deleted and a remaining object that the child had removed, so that
    /// delete rules do not follow them.
    private func cutOffPairs(_ gone: Set<ManagedObjectID>) {
        for (edge, isAdded) in child.tracker.edges where !isAdded {
            let isSourceDeleted = edge.source.flags.contains(.deleted)
            guard isSourceDeleted != edge.destination.flags.contains(.deleted),
                gone.isDisjoint(with: [edge.source.objectID, edge.destination.objectID])
            else { continue }
            let relationship = child.model[edge.relationship]
            let own = isSourceDeleted ? relationship : child.model[relationship.inverse]
            if own.reachesDestinations { move(edge, false) }
        }
    }

    private func move(_ edge: EdgeKey, _ isAdded: Bool) {
        if [edge.source, edge.destination].contains(where: { isMissing($0.objectID) }) { return }
        guard let source = parent.registerFaultHere(edge.source.objectID),
            let destination = parent.registerFaultHere(edge.destination.objectID),
            let relationship = source.plan.own(child.model[edge.relationship]),
            let index = relationship.storage.toManyIndex
        else { return }
        if isAdded {
            source.insertMember(destination, at: index)
        } else {
            source.removeMember(destination, at: index)
        }
    }

    // MARK: - Orders

    /// An ordered to-many that the child changed, with the merged order.
    private struct OrderedList {
        let owner: ManagedObjectID
        let index: Int
        let merged: [ManagedObjectID]
    }

    private func orderedLists() throws -> [OrderedList] {
        var lists: [OrderedList] = []
        for owner in child.tracker.touched where owner.isThere {
            for (index, state) in (owner.extra?.toManys ?? []).enumerated() {
                guard let state, state.order != nil, state.hasEdits else { continue }
                if isAside(owner, owner.plan.toManys[index]) { continue }
                if !state.isLoaded { try child.fulfillToMany(of: owner, at: index) }
                let mine = owner.members(at: index)
                let theirs =
                    owner.isInserted
                    ? [] : parent.registerFaultHere(owner.objectID)?.members(at: index) ?? []
                lists.append(
                    OrderedList(
                        owner: owner.objectID, index: index,
                        merged: OrderMerging.merge(
                            base: state.stored ?? [], mine: mine, theirs: theirs)))
            }
        }
        return lists
    }

    /// Whether an excluded object has the order of a to-many, because its pairs have it.
    private func isAside(_ owner: ManagedObject, _ relationship: Relationship) -> Bool {
        guard case .manyToMany = relationship.storage else { return false }
        return child.tracker.aside?.objects.contains(owner) == true
    }

    private func move(_ list: OrderedList) {
        parent.registerFaultHere(list.owner)?.arrangeMembers(list.merged, at: list.index)
    }
}
