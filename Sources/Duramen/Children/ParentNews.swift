import DuramenModel

extension ContextPart {
    /// Notifies the children that changes here are about to be saved or discarded. Until then,
    /// children merge changed objects at every unit of work without a notification.
    @inline(__always)
    func tellChildren() {
        if hasChildren { tellChildren(of: changedIDs) }
    }

    /// Notifies the children of saves that are merged here.
    func tellChildren(of saves: [SavedChanges]) {
        if !hasChildren { return }
        var ids: [ManagedObjectID] = []
        for changes in saves {
            for row in changes.inserts + changes.updates.map(\.row) + changes.deletes {
                ids.append(row.objectID(in: model, store: handle.store))
            }
            for edge in changes.edges.flatMap({ $0.added + $0.removed }) {
                ids += [edge.source, edge.destination]
            }
        }
        tellChildren(of: ids)
    }

    func tellChildren(of ids: some Sequence<ManagedObjectID>) {
        if !hasChildren { return }
        forEachChild { $0.ledger.recordParent(ids) }
        scheduleEndOfUnit()
    }

    /// Makes the children reload all of their objects.
    func tellChildrenOfEverything() {
        if !hasChildren { return }
        forEachChild { $0.ledger.recordEverythingOfParent() }
        scheduleEndOfUnit()
    }

    /// The IDs of objects that were changed here, including changes that were reverted.
    private var changedIDs: Set<ManagedObjectID> {
        ledger.deletedElsewhere.union(tracker.visited.lazy.map(\.objectID))
    }

    // MARK: - In the child

    /// Merges the parent's present state, unsaved changes included, between units of work.
    func mergeParent() {
        guard let parentPart else { return }
        let news = ledger.takeParentNews()
        guard inbox.isMerging else { return }
        parentPart.context.propagateDeletes()
        let ids = Set((news.ids.union(parentPart.changedIDs)).map(currentID))
        if !news.isEverything, ids.isEmpty { return }
        mergeStored(news.isEverything ? nil : ids)
    }

    /// Merges the present state of the store or the parent for the given objects; nil for all
    /// objects.
    func mergeStored(_ ids: Set<ManagedObjectID>?) {
        if let ids { ledger.recordMeanwhile(ids) } else { ledger.recordEverythingMeanwhile() }
        events?.lists.record { noted in
            if let ids { noted.ids.formUnion(ids) } else { noted.isEverything = true }
        }
        var objects: Set<ManagedObject> = []
        let known = deletedOwners()
        forgetMembers()
        if ids == nil { for table in tables { table.forEach { objects.insert($0) } } }
        for id in ids ?? [] { if let object = registeredHere(id) { objects.insert(object) } }
        objects = objects.filter { object in
            // When all objects are merged, faults are skipped: they load when they are used.
            (ids != nil || object.words != nil || object.hasChanges)
                && object.flags.isDisjoint(with: [.inserted, .gone])
        }
        if let ids { tellChildren(of: ids) } else { tellChildrenOfEverything() }
        if !objects.isEmpty { readAgain(objects) }
        ledger.forgetDeletedElsewhere { registeredObject(for: $0) == nil }
        for (owner, members) in known { expectNewcomers(of: owner, members) }
    }

    /// Invalidates all loaded to-manys and notifies their observers.
    func forgetMembers() {
        var owners: [ManagedObject] = []
        for table in tables {
            table.forEach { if $0.extra?.toManys.isEmpty == false { owners.append($0) } }
        }
        // Observers may register objects, so they must not run while a table is iterated.
        for owner in owners {
            for relationship in owner.plan.toManys {
                guard let state = owner.toManyState(of: relationship) else { continue }
                owner.tellingMerge(toMany: relationship) { state.forgetStored() }
            }
        }
    }

    /// Removes a deleted object from to-manys that another context has added it to meanwhile.
    func leaveOwners(of object: ManagedObject, in new: Row) {
        var known = object.row
        if case .changed(let row)? = object.extra?.meanwhile { known = row }
        for reference in object.plan.toOnes {
            let owner = object.destinationID(of: reference, in: new)
            let old = known.flatMap { object.destinationID(of: reference, in: $0) }
            if owner == old { continue }
            owner.flatMap(registerFault)?.removeInverse(reference.inverse, to: object)
        }
    }

    /// The deleted objects whose delete rules were applied, with the members of their to-manys.
    func deletedOwners() -> [(ManagedObject, Set<ManagedObjectID>)] {
        tracker.deleted.filter { $0.flags.contains(.propagated) }.map { owner in
            (owner, Set(owner.plan.toManys.indices.flatMap(owner.members)))
        }
    }

    /// Reapplies delete rules of an object that has gained members since.
    func expectNewcomers(of owner: ManagedObject, _ known: Set<ManagedObjectID>) {
        let members = owner.plan.toManys.indices.flatMap(owner.members)
        if !known.isSuperset(of: members) { expectNewcomer(of: owner) }
    }
}
