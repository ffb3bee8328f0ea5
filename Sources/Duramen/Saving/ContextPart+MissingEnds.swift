import DuramenModel
import DuramenStore

// A store compares the versions of the rows that a save writes. The destination of a new reference
// is not among them, so this context compares it with the deletions that it was notified of.
extension ContextPart {
    /// Returns conflicts with objects that other contexts deleted and that this save refers to.
    ///
    /// It finds the deletions that this context has merged or received. Call it while no other save
    /// runs: then the inbox contains all other saves that are not merged. Otherwise, take the mark
    /// of the inbox first, and compare it when the save is written: later saves make a new check
    /// necessary.
    func missingEnds(_ pending: PendingSave) -> [MetConflict] {
        let asksStore = mustAskStore(for: pending)
        // In most saves nothing was deleted.
        if pending.deleted.isEmpty, ledger.deletionsSinceChanges.isEmpty,
            ledger.deletedElsewhere.isEmpty, !asksStore,
            !inbox.hasWaiting
        {
            return []
        }
        // The state that is read here is an old one after the save.
        defer { if asksStore { reading.letGo() } }
        return newReferencesToDeleted(pending, asksStore) + referencesToMissing(pending, asksStore)
    }

    /// Whether only the store knows what was deleted: saves with unknown changes were received, or
    /// objects are inserted again, with references from before their deletion.
    private func mustAskStore(for pending: PendingSave) -> Bool {
        if !inbox.knowsWhatWaits || ledger.hasMissedDeletions { return true }
        return !ledger.insertedAgain.isEmpty
            && pending.inserted.contains { ledger.insertedAgain.contains($0.objectID) }
    }

    /// Returns conflicts of deletions with references in saves of other contexts that are not
    /// merged yet. The delete rules here did not see these references.
    private func newReferencesToDeleted(
        _ pending: PendingSave, _ asksStore: Bool
    ) -> [MetConflict] {
        if pending.deleted.isEmpty { return [] }
        let deleted = Set(pending.deleted.map(\.objectID))
        var rows = inbox.waiting.flatMap { $0.inserts + $0.updates.map(\.row) }
        if asksStore { rows += (try? storedReferences(to: pending.deleted)) ?? [] }
        var referring: [ManagedObjectID: Row] = [:]
        for row in rows where !isCutOff(row) {
            if ends(of: row).isDisjoint(with: deleted) { continue }
            referring[row.objectID(in: model, store: handle.store)] = row
        }
        if referring.isEmpty { return [] }
        // The references may have been changed again since by a save that the inbox does not
        // contain.
        let stored = try? readSnapshot { snapshot throws(StoreError) in
            Array(try snapshot.batches(for: Array(referring.keys)).joined())
        }
        let ends = (stored ?? Array(referring.values)).reduce(into: Set<ManagedObjectID>()) {
            $0.formUnion(self.ends(of: $1))
        }
        return pending.deleted.filter { ends.contains($0.objectID) }.map { object in
            let row = object.extra?.base ?? object.row
            return MetConflict(
                .version, self, object.objectID, object, base: row, stored: row)
        }
    }

    /// Returns the stored objects whose to-ones refer to some objects through an inverse to-many.
    private func storedReferences(to objects: [ManagedObject]) throws(StoreError) -> [Row] {
        var owners: [RelationshipID: [ManagedObjectID]] = [:]
        for object in objects {
            for relationship in object.plan.toManys
            where !model[relationship.inverse].isToMany {
                owners[relationship.id, default: []].append(object.objectID)
            }
        }
        return try readSnapshot { snapshot throws(StoreError) in
            var ids: Set<ManagedObjectID> = []
            for (relationship, owners) in owners {
                for found in try snapshot.destinations(of: relationship, from: owners) {
                    ids.formUnion(found)
                }
            }
            return Array(try snapshot.batches(for: Array(ids)).joined())
        }
    }

    /// Returns the missing ones of the stored objects that this save newly refers to.
    private func storedEnds(missingFor pending: PendingSave) throws(StoreError) -> Set<
        ManagedObjectID
    > {
        var ends: Set<ManagedObjectID> = []
        for (edge, isAdded) in tracker.edges where isAdded && edge.isLive {
            for end in [edge.source, edge.destination] where !end.isInserted {
                ends.insert(end.objectID)
            }
        }
        forEachNewDestination(of: pending) { ends.insert($0) }
        for object in pending.inserted { ends.remove(object.objectID) }
        if ends.isEmpty { return [] }
        return try readSnapshot { snapshot throws(StoreError) in
            for row in try snapshot.batches(for: Array(ends)).joined() {
                ends.remove(row.objectID(in: model, store: handle.store))
            }
            return ends
        }
    }

    /// Returns the destinations of a row's to-ones, except those whose inverse has the rule
    /// `noAction`.
    private func ends(of row: Row) -> Set<ManagedObjectID> {
        let references = plans[row.entityID.index].toOnes
            .filter { $0.inverse.deleteRule != .noAction }
        return Set(
            references.compactMap {
                row.destination(of: $0.relationship, in: model, store: handle.store)
            })
    }

    /// Whether the object of a row is deleted here, or changed so that it no longer refers to a
    /// deleted object. The save then includes it, and the store compares its version.
    private func isCutOff(_ row: Row) -> Bool {
        let plan = plans[row.entityID.index]
        guard let object = plan.table.find(row.key), let own = object.row else { return false }
        if object.flags.contains(.deleted) { return true }
        if object.editedSlots.isEmpty { return false }
        return plan.toOnes.allSatisfy { reference in
            object.destinationID(of: reference, in: own)
                .flatMap(registeredHere)?.flags.contains(.deleted) != true
        }
    }

    /// Passes the destinations of to-ones that the save writes to a closure, except those whose
    /// inverse has the rule `noAction`.
    private func forEachNewDestination(
        of pending: PendingSave, _ body: (ManagedObjectID) -> Void
    ) {
        for object in pending.inserted + pending.updated {
            guard let row = object.row else { continue }
            let edited = object.isInserted ? nil : object.editedSlots
            for reference in object.plan.toOnes
            where reference.inverse.deleteRule != .noAction
                && edited?.contains(reference.slot) != false
            {
                if let id = object.destinationID(of: reference, in: row) { body(id) }
            }
        }
    }

    private func referencesToMissing(
        _ pending: PendingSave, _ asksStore: Bool
    ) -> [MetConflict] {
        var gone = deletionsElsewhere
        if asksStore { gone.formUnion((try? storedEnds(missingFor: pending)) ?? []) }
        if gone.isEmpty { return [] }
        var ends: Set<ManagedObjectID> = []
        for (edge, isAdded) in tracker.edges where isAdded {
            let (source, destination) = (edge.source, edge.destination)
            if gone.contains(source.objectID), !endsPairs(destination, gone) {
                ends.insert(source.objectID)
            }
            if gone.contains(destination.objectID), !endsPairs(source, gone) {
                ends.insert(destination.objectID)
            }
        }
        forEachNewDestination(of: pending) { if gone.contains($0) { ends.insert($0) } }
        return ends.sorted().map { id in
            let object = registeredHere(id)
            return MetConflict(
                .version, self, id, object, base: object?.extra?.base ?? object?.row, stored: nil)
        }
    }

    /// Whether an object was deleted here, or was never saved before its deletion. Its pairs then
    /// end and do not need their other objects.
    private func endsPairs(_ object: ManagedObject, _ gone: Set<ManagedObjectID>) -> Bool {
        object.flags.contains(.deleted)
            || object.flags.contains(.gone) && !gone.contains(object.objectID)
    }

    /// Returns many-to-many pairs of deleted objects in saves of other contexts that are not merged
    /// yet. These pairs end too.
    func lostEdgesWaiting(_ pending: PendingSave) -> [EdgeChange] {
        if pending.deleted.isEmpty { return [] }
        let deleted = Set(pending.deleted.map(\.objectID))
        return inbox.waiting.flatMap(\.edges).compactMap { change in
            var lost = EdgeChange(relationship: change.relationship)
            lost.removed = change.added.filter {
                deleted.contains($0.source) || deleted.contains($0.destination)
            }
            return lost.removed.isEmpty ? nil : lost
        }
    }

    /// Records deletions of others while there are changes here that may refer to the objects.
    func recordDeletions(of rows: [Row]) {
        if rows.isEmpty || !hasOwnChanges { return }
        ledger.recordDeletions(rows.map { $0.objectID(in: model, store: handle.store) })
    }

    /// The objects that others deleted, as far as this context was notified, and that were not
    /// inserted again.
    private var deletionsElsewhere: Set<ManagedObjectID> {
        var ids = ledger.deletionsSinceChanges.union(ledger.deletedElsewhere)
        for changes in inbox.waiting {
            if !ids.isEmpty {
                for row in changes.inserts {
                    ids.remove(row.objectID(in: model, store: handle.store))
                }
            }
            for row in changes.deletes {
                ids.insert(row.objectID(in: model, store: handle.store))
            }
        }
        return ids.subtracting(ledger.insertedAgain)
    }
}
