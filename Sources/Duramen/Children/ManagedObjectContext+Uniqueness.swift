import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Finds objects that share unique values with new or changed objects, as a save to the store
    /// would. Looks among unsaved changes, those of all parents included, and stored objects.
    ///
    /// Stores compare unique values, and the save of a child does not reach one. So a child that
    /// saves may leave its parent with a conflict; this looks before. Somebody else may still come
    /// between.
    /// - Returns: The conflicts that a save would meet now; two new objects with the same values
    ///   are one.
    /// - Throws: The store's error.
    /// - Complexity: One query per new object, or one with edited unique values, and constraint.
    public func uniquenessConflicts() throws -> [SaveConflict] {
        noticeStores()
        propagateDeletes()
        return try openParts.flatMap { try $0.uniquenessConflicts() }
    }
}

extension ContextPart {
    fileprivate func uniquenessConflicts() throws -> [SaveConflict] {
        var conflicts: [SaveConflict] = []
        var seen: Set<Set<ManagedObjectID>> = []
        for object in tracker.written where object.isInserted || object.isUpdated {
            guard object.isThere else { continue }
            let edited = object.isInserted ? nil : object.editedSlots
            for constraint in object.plan.entity.uniquenessConstraints {
                if let edited, !constraint.slots.contains(where: edited.contains) { continue }
                // Nil never conflicts.
                guard let values = object.uniqueValues(of: constraint) else { continue }
                for other in try objectIDs(with: constraint, values)
                where other != object.objectID
                    && seen.insert([object.objectID, other]).inserted
                {
                    conflicts.append(try conflict(of: object, with: other, constraint))
                }
            }
        }
        return conflicts
    }

    private func conflict(
        of object: ManagedObject, with other: ManagedObjectID, _ constraint: UniquenessConstraint
    ) throws -> SaveConflict {
        let found = try context.existingObject(with: other)
        return SaveConflict(
            kind: .uniqueness(properties: constraint.properties, with: other),
            objectID: object.objectID, base: snapshot(object.extra?.base, object.objectID),
            mine: snapshot(object.row, object.objectID),
            stored: found.isInserted ? nil : snapshot(found.row, other))
    }

    private func objectIDs(
        with constraint: UniquenessConstraint, _ values: [StoredValue]
    ) throws -> [ManagedObjectID] {
        let parts = zip(constraint.keyPaths, values).map { path, value in
            FetchPredicate.comparison(
                PredicateComparison(.keyPath(path), .equal, .constant(value)))
        }
        do {
            let query = StoreQuery(entity: constraint.entity, predicate: .and(parts))
            return try shownObjectIDs(LoweredQuery(query, in: model))
        } catch let error as FetchPredicateError {
            throw StoreError(error)
        }
    }
}

extension ManagedObject {
    /// The values that a constraint allows once; nil when there is none, since one of them is null.
    func uniqueValues(of constraint: UniquenessConstraint) -> [StoredValue]? {
        guard let row else { return nil }
        var values: [StoredValue] = []
        for slot in constraint.slots {
            if row.isNull(slot) { return nil }
            if let reference = plan.references[slot] {
                // An object keeps its temporary key in rows beside the one it was saved with.
                guard let id = destinationID(of: reference, in: row) else { return nil }
                values.append(.objectID(id))
            } else {
                values.append(row.value(slot, plan.layout.kinds[slot]))
            }
        }
        return values
    }
}
