import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Saves all changes but those of some objects, such as the offenders of a
    /// ``SaveConflictError`` or a ``ValidationError``, which stay as they are.
    ///
    /// What cannot be saved without them stays out too: objects that would lead to a new object
    /// that stays out, and deletions by the delete rule of one. Pairs of a many-to-many stay out
    /// with either of their ends.
    /// - Parameter isolation: The owner of the context, filled in by the compiler.
    /// - Returns: The objects with changes that stayed out: those that were named and those that
    ///   depend on them.
    /// - Throws: What ``save(isolation:)`` throws about the rest.
    @discardableResult
    public func save(
        excluding objects: some Sequence<ManagedObject>,
        isolation: isolated (any Actor)? = #isolation
    ) throws -> Set<ManagedObject> {
        let objects = Set(objects)
        for object in objects { requireOwn(object, for: "exclude") }
        enter(isolation)
        noticeStores()
        roundTrips?.beginOwnWork()
        defer { roundTrips?.endOwnWork() }
        try resolveUnknownSave()
        propagateDeletes(forSave: true)
        var excluded = objects.filter(\.hasChanges)
        for part in parts { part.addDependents(to: &excluded) }
        for part in parts {
            part.tracker.setAside(excluded, deletions: part.ledger.deletionsSinceChanges)
        }
        defer { for part in parts { part.takeBackWhatIsAside() } }
        try prepareToSave()
        try writeChanges()
        return excluded
    }

    /// Saves all changes but those of the objects of an error; see ``save(excluding:isolation:)``.
    @discardableResult
    public func save(
        excluding error: SaveConflictError, isolation: isolated (any Actor)? = #isolation
    ) throws -> Set<ManagedObject> {
        var offenders: Set<ManagedObject> = []
        var missing: Set<ManagedObjectID> = []
        for conflict in error.conflicts {
            var ids = [conflict.objectID]
            // Of two new objects neither is more in the wrong.
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
    /// New and changed objects that lead to one of those IDs.
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

    /// Adds what cannot be saved without the objects of a set.
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
            for object in tracker.deleted
            where object.flags.contains(.cascaded) && !excluded.contains(object) {
                guard let row = object.extra?.base ?? object.row else { continue }
                let isDoomed = object.plan.toOnes.contains { reference in
                    reference.inverse.deleteRule == .cascade
                        && object.destinationID(of: reference, in: row).flatMap(registeredObject)
                            .map { excluded.contains($0) && $0.isDeleted } == true
                }
                if isDoomed { excluded.insert(object) }
            }
        }
    }

    fileprivate func takeBackWhatIsAside() {
        guard let aside = tracker.takeBackAside() else { return }
        ledger.recordDeletions(aside.deletions)
        // The save may have left nothing else of what changed the other ends of pairs.
        for edge in aside.edges.keys {
            recordUpdate(of: edge.source)
            recordUpdate(of: edge.destination)
        }
    }

    /// Makes the edits of to-manys part of what is stored, but for those that stay out of the save.
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
