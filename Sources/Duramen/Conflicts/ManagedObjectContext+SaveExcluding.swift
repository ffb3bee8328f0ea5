import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Saves all changes but those of some objects, such as the offenders of a ``SaveConflictError`` or a
    /// ``ValidationError``, which stay as they are.
    ///
    /// What cannot be saved without them stays out too: objects that would lead to a new object that stays out,
    /// and deletions by the delete rule of one. Pairs of a many-to-many stay out with either of their ends.
    /// - Parameter isolation: The owner of the context, filled in by the compiler.
    /// - Returns: The objects with changes that stayed out: those that were named and those that depend on them.
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
        forEachPart { $0.addDependents(to: &excluded) }
        forEachPart { $0.setAside(excluded) }
        defer { forEachPart { $0.takeBackWhatIsAside() } }
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
            forEachPart { offenders.formUnion($0.changedObjects(leadingTo: missing)) }
        }
        return try save(excluding: offenders, isolation: isolation)
    }

    /// New and changed objects that lead to one of those IDs.
    func changedObjects(leadingTo ids: Set<ManagedObjectID>) -> Set<ManagedObject> {
        var found = Set((inserted + updated).filter { leads($0, to: ids.contains) })
        for (edge, isAdded) in edges where isAdded {
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
    private func addDependents(to excluded: inout Set<ManagedObject>) {
        var newOnes = excluded.filter(\.isInserted)
        while !newOnes.isEmpty {
            var found: Set<ManagedObject> = []
            for object in inserted + updated
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
            for object in deleted
            where object.flags.contains([.deleted, .cascaded]) && !excluded.contains(object) {
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

    private func setAside(_ excluded: Set<ManagedObject>) {
        if excluded.isEmpty { return }
        var aside = ChangesAside(objects: excluded)
        aside.inserted = inserted.filter(excluded.contains)
        aside.updated = updated.filter(excluded.contains)
        aside.deleted = deleted.filter(excluded.contains)
        aside.denials = denials.filter { excluded.contains($0.object) }
        aside.edges = edges.filter { aside.isAside($0.key) }
        aside.deletions = deletionsSinceChanges
        inserted.removeAll(where: excluded.contains)
        updated.removeAll(where: excluded.contains)
        deleted.removeAll(where: excluded.contains)
        denials.removeAll { excluded.contains($0.object) }
        edges = edges.filter { !aside.isAside($0.key) }
        changesAside = aside
    }

    private func takeBackWhatIsAside() {
        guard let aside = changesAside else { return }
        changesAside = nil
        inserted += aside.inserted
        updated += aside.updated
        deleted += aside.deleted
        denials += aside.denials
        edges.merge(aside.edges) { own, _ in own }
        deletionsSinceChanges.formUnion(aside.deletions)
        // The save may have left nothing else of what changed the other ends of pairs.
        for edge in aside.edges.keys {
            noteUpdate(of: edge.source)
            noteUpdate(of: edge.destination)
        }
    }

    /// Makes the edits of to-manys part of what is stored, but for those that stay out of the save.
    func commitToManys(without aside: ChangesAside) {
        var left = ContiguousArray<ManagedObject>()
        for owner in touched {
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
        touched = left
    }
}

/// Changes that stay out of a save.
struct ChangesAside {
    let objects: Set<ManagedObject>
    var inserted = ContiguousArray<ManagedObject>()
    var updated = ContiguousArray<ManagedObject>()
    var deleted = ContiguousArray<ManagedObject>()
    var denials: [Denial] = []
    var edges: [EdgeKey: Bool] = [:]
    /// What others deleted that the changes may refer to.
    var deletions: Set<ManagedObjectID> = []

    func isAside(_ edge: EdgeKey) -> Bool {
        objects.contains(edge.source) || objects.contains(edge.destination)
    }
}
