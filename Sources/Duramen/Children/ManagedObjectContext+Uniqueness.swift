import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Returns conflicts between the unique values of new or changed objects and those of other
    /// objects. Searches unsaved changes, including those of all ancestors, and stored objects.
    ///
    /// Only stores compare unique values, and a child's save does not reach a store. Call this
    /// before you save a child, or its parent may have a conflict later. Another writer may still
    /// cause a conflict before the save.
    /// - Returns: The conflicts that a save would report now; two new objects with equal values are
    ///   one.
    /// - Throws: The store's error.
    /// - Complexity: One query per constraint for each object that is new or has edited unique
    ///   values.
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
                // Nil values never conflict.
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
    /// Returns the object's values for a uniqueness constraint; nil if one of them is null.
    func uniqueValues(of constraint: UniquenessConstraint) -> [StoredValue]? {
        guard let row else { return nil }
        var values: [StoredValue] = []
        for slot in constraint.slots {
            if row.isNull(slot) { return nil }
            if let reference = plan.references[slot] {
                // The row of a saved object may still refer to a destination by its temporary key.
                guard let id = destinationID(of: reference, in: row) else { return nil }
                values.append(.objectID(id))
            } else {
                values.append(row.value(slot, plan.layout.kinds[slot]))
            }
        }
        return values
    }
}
