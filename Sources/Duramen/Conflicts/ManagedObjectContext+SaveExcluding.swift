import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Saves all changes except those of some objects, for example the objects of a
    /// ``SaveConflictError`` or ``ValidationError``. Excluded objects keep their changes.
    ///
    /// Changes that depend on excluded objects are excluded too. These are objects that refer to a
    /// new excluded object, and deletions that an excluded object's delete rule caused.
    /// Many-to-many pairs are excluded with either of their objects.
    /// - Parameters:
    ///   - objects: The objects to exclude.
    ///   - isolation: The isolation that the call runs in; leave it out.
    /// - Returns: All excluded objects with changes: the given ones and their dependents.
    /// - Throws: The errors of ``save(isolation:)`` for the other objects.
    @discardableResult
    public func save(
        excluding objects: some Sequence<ManagedObject>,
        isolation: isolated (any Actor)? = #isolation
    ) throws -> Set<ManagedObject> {
        let objects = Set(objects)
        for object in objects { requireOwn(object, for: "exclude") }
        return try saving(isolation) {
            propagateDeletes(forSave: true)
            var excluded = objects.filter(\.hasChanges)
            for part in parts { part.addDependents(to: &excluded) }
            for part in parts {
                part.tellChildren()
                part.tracker.setAside(excluded, deletions: part.ledger.deletionsSinceChanges)
            }
            defer { for part in parts { part.takeBackWhatIsAside() } }
            try prepareToSave()
            try writeChanges()
            return excluded
        }
    }

    /// Saves all changes except those of an error's objects; see the method that takes objects.
    @discardableResult
    public func save(
        excluding error: SaveConflictError, isolation: isolated (any Actor)? = #isolation
    ) throws -> Set<ManagedObject> {
        var offenders: Set<ManagedObject> = []
        var missing: Set<ManagedObjectID> = []
        for conflict in error.conflicts {
            var ids = [conflict.objectID]
            // Neither of two new objects is more at fault.
            if case .uniqueness(_, let other) = conflict.kind { ids.append(other) }
            offenders.formUnion(ids.compactMap(registeredObject))
            if conflict.kind == .version, conflict.stored == nil {
                missing.insert(conflict.objectID)
            }
        }
        if !missing.isEmpty {
            for part in parts { offenders.formUnion(part.changedObjects(leadingTo: missing)) }
        }
        return try save(excluding: offenders, isolation: isolation)
    }
}

extension ContextPart {
    /// Returns new and changed objects that refer to one of the IDs.
    func changedObjects(leadingTo ids: Set<ManagedObjectID>) -> Set<ManagedObject> {
        var found = Set(tracker.written.filter { leads($0, to: ids.contains) })
        for (edge, isAdded) in tracker.edges where isAdded {
            if ids.contains(edge.source.objectID) { found.insert(edge.destination) }
            if ids.contains(edge.destination.objectID) { found.insert(edge.source) }
        }
        return found
    }

    private func leads(
        _ object: ManagedObject, to isWanted: (ManagedObjectID) -> Bool
    ) -> Bool {
        guard let row = object.row else { return false }
        return object.plan.toOnes.contains { reference in
            object.destinationID(of: reference, in: row).map(isWanted) == true
        }
    }

    /// Adds objects that cannot be saved without the objects of a set.
    fileprivate func addDependents(to excluded: inout Set<ManagedObject>) {
        var newOnes = excluded.filter(\.isInserted)
        while !newOnes.isEmpty {
            var found: Set<ManagedObject> = []
            for object in tracker.written
            where object.hasChanges && !object.isDeleted && !excluded.contains(object) {
                if leads(object, to: { registeredObject(for: $0).map(newOnes.contains) == true }) {
                    found.insert(object)
                }
            }
            excluded.formUnion(found)
            newOnes = found.filter(\.isInserted)
        }
        var count = -1
        while count != excluded.count {
            count = excluded.count
            excluded.formUnion(cascaded(from: excluded))
        }
    }

    /// Returns the objects that the delete rules of a set's deleted objects deleted.
    private func cascaded(from owners: Set<ManagedObject>) -> Set<ManagedObject> {
        var found: Set<ManagedObject> = []
        func note(_ object: ManagedObject?, by relationship: Relationship, of owner: ManagedObject?)
        {
            guard let object, let owner, relationship.deleteRule == .cascade,
                object.flags.contains(.cascaded), owner.isDeleted, owners.contains(owner)
            else { return }
            found.insert(object)
        }
        for object in tracker.deleted {
            guard let row = object.extra?.base ?? object.row else { continue }
            for reference in object.plan.toOnes {
                let other = object.destinationID(of: reference, in: row).flatMap(registeredObject)
                note(object, by: reference.inverse, of: other)
                note(other, by: reference.relationship, of: object)
            }
        }
        // The pairs of deleted objects are removed, so only the members before that lead on.
        for owner in owners where owner.isDeleted {
            for relationship in owner.plan.toManys {
                guard let state = owner.toManyState(of: relationship) else { continue }
                for id in (state.stored ?? []) + state.edits.map(\.id) {
                    note(registeredObject(for: id), by: relationship, of: owner)
                }
            }
        }
        return found
    }

    fileprivate func takeBackWhatIsAside() {
        guard let aside = tracker.takeBackAside() else { return }
        ledger.recordDeletions(aside.deletions)
        // The save may have cleared the update records of the objects in these pairs.
        for edge in aside.edges.keys {
            recordUpdate(of: edge.source)
            recordUpdate(of: edge.destination)
        }
    }

    /// Makes edits of to-manys part of the stored state, except edits that were excluded from the
    /// save.
    func commitToManys(without aside: ChangesAside) {
        var left = ContiguousArray<ManagedObject>()
        for owner in tracker.touched {
            for (index, state) in (owner.extra?.toManys ?? []).enumerated() {
                guard let state, state.hasEdits else { continue }
                let isPair =
                    if case .manyToMany = owner.plan.toManys[index].storage { true } else { false }
                if !isPair || !aside.objects.contains(owner) {
                    state.commit(of: owner, at: index, in: self) { id in
                        registeredObject(for: id).map(aside.objects.contains) == true
                    }
                }
                if state.hasEdits { left.append(owner) }
            }
        }
        tracker.keepTouched(left)
    }
}
