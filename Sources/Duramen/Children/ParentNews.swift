import DuramenModel

extension ContextPart {
    /// Tells the children that what is changed here is about to be changed no longer: it is saved,
    /// or dropped. Of objects with changes they need not be told.
    @inline(__always)
    func tellChildren() {
        if hasChildren { tellChildren(of: changedIDs) }
    }

    /// Tells the children what is merged here.
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

    /// Has the children read all of their objects anew.
    func tellChildrenOfEverything() {
        if !hasChildren { return }
        forEachChild { $0.ledger.recordEverythingOfParent() }
        scheduleEndOfUnit()
    }

    /// The objects that were changed here, and may be unchanged again.
    private var changedIDs: Set<ManagedObjectID> {
        ledger.deletedElsewhere.union(tracker.visited.lazy.map(\.objectID))
    }

    // MARK: - In the child

    /// Takes over what the parent has now, unsaved changes included, between units of work.
    func mergeParent() {
        guard let parentPart else { return }
        let news = ledger.takeParentNews()
        guard inbox.isMerging else { return }
        parentPart.context.propagateDeletes()
        let ids = Set((news.ids.union(parentPart.changedIDs)).map(currentID))
        if !news.isEverything, ids.isEmpty { return }
        mergeStored(news.isEverything ? nil : ids)
    }

    /// Takes over what the store or the parent has now of objects, or of all of them.
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
            // Of all objects, those that are not read yet are read when they are needed.
            (ids != nil || object.words != nil || object.hasChanges)
                && object.flags.isDisjoint(with: [.inserted, .gone])
        }
        if let ids { tellChildren(of: ids) } else { tellChildrenOfEverything() }
        if !objects.isEmpty { readAgain(objects) }
        ledger.forgetDeletedElsewhere { registeredObject(for: $0) == nil }
        for (owner, members) in known { expectNewcomers(of: owner, members) }
    }

    /// Has all to-manys read anew, and tells those who look at one.
    func forgetMembers() {
        var owners: [ManagedObject] = []
        for table in tables {
            table.forEach { if $0.extra?.toManys.isEmpty == false { owners.append($0) } }
        }
        // Who is told may register objects, for which tables must not be walked over.
        for owner in owners {
            for relationship in owner.plan.toManys {
                guard let state = owner.toManyState(of: relationship) else { continue }
                owner.tellingMerge(toMany: relationship) { state.forgetStored() }
            }
        }
    }

    /// Takes a deleted object out of the to-manys that somebody else has put it into meanwhile.
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

    /// The deleted objects whose rules are applied, with the members of their to-manys.
    func deletedOwners() -> [(ManagedObject, Set<ManagedObjectID>)] {
        tracker.deleted.filter { $0.flags.contains(.propagated) }.map { owner in
            (owner, Set(owner.plan.toManys.indices.flatMap(owner.members)))
        }
    }

    /// Has delete rules applied again that did not know all members.
    func expectNewcomers(of owner: ManagedObject, _ known: Set<ManagedObjectID>) {
        let members = owner.plan.toManys.indices.flatMap(owner.members)
        if !known.isSuperset(of: members) { expectNewcomer(of: owner) }
    }
}
