import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Looks for objects with the unique values of new and changed ones, as a save to the store will: among
    /// unsaved changes, those of all parents, and what is stored.
    ///
    /// Stores compare unique values, and the save of a child does not reach one. So a child that saves may
    /// leave its parent with a conflict; this looks before. Somebody else may still come between.
    /// - Returns: The conflicts that a save would meet now; two new objects with the same values are one.
    /// - Throws: The store's error.
    /// - Complexity: One query per new object, or one with edited unique values, and constraint.
    public func uniquenessConflicts() throws -> [SaveConflict] {
        noticeStores()
        propagateDeletes()
        return try openParts.flatMap { try $0.uniquenessConflictsHere() }
    }

    private func uniquenessConflictsHere() throws -> [SaveConflict] {
        var conflicts: [SaveConflict] = []
        var seen: Set<Set<ManagedObjectID>> = []
        for object in inserted + updated where object.isInserted || object.isUpdated {
            guard object.isThere, let row = object.row else { continue }
            let edited = object.isInserted ? nil : object.editedSlots
            for constraint in object.plan.entity.uniquenessConstraints {
                if let edited, !constraint.slots.contains(where: edited.contains) { continue }
                for other in try objectIDs(with: constraint, as: row)
                where other != object.objectID
                    && seen.insert([object.objectID, other]).inserted
                {
                    conflicts.append(try conflict(of: object, with: other, constraint))
                }
            }
        }
        return conflicts
    }

    private func objectIDs(
        with constraint: UniquenessConstraint, as row: Row
    ) throws -> [ManagedObjectID] {
        let kinds = model[row.entityID].layout.kinds
        // Nil never conflicts.
        if constraint.slots.contains(where: row.isNull) { return [] }
        let parts = zip(constraint.attributes, constraint.slots).map { name, slot in
            FetchPredicate.comparison(
                PredicateComparison(
                    .keyPath(name.split(separator: ".").map(String.init)), .equal,
                    .constant(row.value(slot, kinds[slot]))))
        }
        do {
            let query = StoreQuery(entity: constraint.entity, predicate: .and(parts))
            return try shownObjectIDs(query.lowered(in: model))
        } catch let error as FetchPredicateError {
            throw StoreError(error)
        }
    }

    private func conflict(
        of object: ManagedObject, with other: ManagedObjectID, _ constraint: UniquenessConstraint
    ) throws -> SaveConflict {
        let found = try existingObject(with: other)
        return SaveConflict(
            kind: .uniqueness(attributes: constraint.attributes, with: other),
            objectID: object.objectID, base: snapshot(object.extra?.base, object.objectID),
            mine: snapshot(object.row, object.objectID),
            stored: found.isInserted ? nil : snapshot(found.row, other))
    }
}
