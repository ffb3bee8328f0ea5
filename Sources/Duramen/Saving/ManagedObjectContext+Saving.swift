import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Writes all changes to the store, whole or not at all.
    ///
    /// Without changes it does nothing. When it throws, the context keeps its changes.
    /// - Parameter isolation: The owner of the context, filled in by the compiler.
    /// - Throws: ``ValidationError``, ``SaveConflictError``, the failures of properties read before, or
    ///   the store's error.
    public func save(isolation: (any Actor)? = #isolation) throws {
        adoptOwner(isolation)
        applyDeleteRules()
        try validate()
        guard hasChanges else {
            compactChanges()
            return
        }
        try assignKeys(to: inserted)
        let pending = collectChanges()
        if pending.changes.isEmpty {
            finish(pending, insertedVersions: [], updatedVersions: [])
            return
        }
        switch try store.save(pending.changes) {
        case .saved(let receipt):
            finish(
                pending, insertedVersions: receipt.insertedVersions,
                updatedVersions: receipt.updatedVersions)
            snapshot = nil
            persistentStoreCoordinator.publish(pending.published, from: inbox)
        case .conflicted(let conflicts):
            snapshot = nil
            throw SaveConflictError(conflicts: conflicts.map(saveConflict))
        }
    }

    /// The changes of the context, as the store takes them.
    private func collectChanges() -> PendingSave {
        var pending = PendingSave()
        pending.changes.author = transactionAuthor
        pending.changes.contextName = name
        pending.inserted.reserveCapacity(inserted.count)
        pending.changes.inserts.reserveCapacity(inserted.count)
        for object in inserted where object.flags.contains(.inserted) {
            replaceTemporaryKeys(in: object)
            guard let row = object.row else { continue }
            pending.inserted.append(object)
            pending.changes.inserts.append(row)
        }
        for object in updated where object.isUpdated {
            replaceTemporaryKeys(in: object)
            guard let row = object.row, let base = object.extra?.base else { continue }
            let slots = object.editedSlots
            if slots.isEmpty { continue }
            pending.updated.append(object)
            pending.published.updates.append(.init(base: base, row: row))
            pending.changes.updates.append(
                RowUpdate(row: row, baseVersion: base.version, changedSlots: slots))
        }
        // In the order of keys the engine walks its pages once.
        pending.sortUpdates()
        for object in deleted where object.flags.contains(.deleted) {
            guard let row = object.extra?.base ?? object.row else { continue }
            pending.deleted.append(object)
            pending.published.deletes.append(row)
            pending.changes.deletes.append(
                RowDeletion(id: object.objectID, baseVersion: row.version))
        }
        pending.changes.edges = collectEdges()
        pending.published.inserts = pending.changes.inserts
        pending.published.edges = pending.changes.edges + edges(of: pending.deleted)
        return pending
    }

    private func collectEdges() -> [EdgeChange] {
        var changes: [RelationshipID: EdgeChange] = [:]
        for (edge, isAdded) in edges {
            guard edge.source.flags.isDisjoint(with: [.deleted, .gone]),
                edge.destination.flags.isDisjoint(with: [.deleted, .gone])
            else { continue }
            let pair = EdgeChange.Edge(from: edge.source.objectID, to: edge.destination.objectID)
            var change =
                changes[edge.relationship] ?? EdgeChange(relationship: edge.relationship)
            if isAdded { change.added.append(pair) } else { change.removed.append(pair) }
            changes[edge.relationship] = change
        }
        return changes.values.sorted { $0.relationship < $1.relationship }
    }

    /// The many-to-many pairs that go with deleted objects. The store drops them by itself; other
    /// contexts have to be told.
    private func edges(of deleted: [ManagedObject]) -> [EdgeChange] {
        var changes: [RelationshipID: EdgeChange] = [:]
        for object in deleted {
            for (index, relationship) in object.plan.toManys.enumerated() {
                guard case .manyToMany = relationship.storage else { continue }
                let pairs = object.members(at: index).map {
                    EdgeChange.Edge(from: object.objectID, to: $0)
                }
                if pairs.isEmpty { continue }
                changes[relationship.id, default: EdgeChange(relationship: relationship.id)]
                    .removed += pairs
            }
        }
        return Array(changes.values)
    }

    /// Makes the saved state the new base of every object.
    private func finish(
        _ pending: PendingSave, insertedVersions: [RowVersion], updatedVersions: [RowVersion]
    ) {
        for (index, object) in pending.inserted.enumerated() {
            object.mutableRow?.setVersion(insertedVersions[index])
            object.flags.subtract([.inserted, .writable, .updated])
        }
        for (index, object) in pending.updated.enumerated() {
            object.mutableRow?.setVersion(updatedVersions[index])
        }
        for object in updated {
            object.flags.subtract([.updated, .writable])
            object.extra?.base = nil
        }
        for object in deleted {
            object.flags.subtract([.deleted, .propagated, .updated, .deletedElsewhere])
            object.flags.insert(.gone)
            object.plan.table.remove(object.key)
        }
        for object in touched { object.commitToManys(in: self) }
        inserted = []
        updated = []
        deleted = []
        touched = []
        edges = [:]
        denials = []
    }

    private func saveConflict(_ conflict: StoreConflict) -> SaveConflict {
        func snapshot(_ row: Row?, _ id: ManagedObjectID) -> ObjectSnapshot? {
            row.map { ObjectSnapshot($0, objectID: id, model: model) }
        }
        switch conflict {
        case .version(let version):
            let object = registeredObject(for: version.id)
            return SaveConflict(
                kind: .version, objectID: version.id,
                base: snapshot(object?.extra?.base ?? object?.row, version.id),
                mine: object?.isDeleted == true ? nil : snapshot(object?.row, version.id),
                stored: snapshot(version.storedRow, version.id))
        case .uniqueness(let uniqueness):
            let object = registeredObject(for: uniqueness.id)
            return SaveConflict(
                kind: .uniqueness(
                    attributes: uniqueness.constraint.attributes, with: uniqueness.otherID),
                objectID: uniqueness.id, base: snapshot(object?.extra?.base, uniqueness.id),
                mine: snapshot(object?.row, uniqueness.id),
                stored: snapshot(uniqueness.storedRow, uniqueness.otherID))
        }
    }
}

/// A save in the making: what the store is given, and the objects that it came from.
struct PendingSave {
    var changes = ChangeSet()
    var inserted: [ManagedObject] = []
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []
    /// What other contexts are told.
    var published = SavedChanges()

    mutating func sortUpdates() {
        let isSorted = zip(updated, updated.dropFirst()).allSatisfy { $0.key <= $1.key }
        if isSorted { return }
        let order = updated.indices.sorted { updated[$0].key < updated[$1].key }
        updated = order.map { updated[$0] }
        changes.updates = order.map { changes.updates[$0] }
    }
}
