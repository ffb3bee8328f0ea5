import DuramenModel
import DuramenStore

/// The changes of one store's objects since a list was last updated: a sendable value.
struct ListChanges: Sendable {
    /// The present state of an object.
    enum State: Sendable {
        case row(Row)
        /// The object is deleted, or never existed.
        case gone
        /// The state must be queried from the store.
        case unread
    }

    struct Change: Sendable {
        /// The earlier rows according to each record; empty if unknown.
        var olds: [Row] = []
        /// Whether the object did not exist before.
        var isNew = false
        /// Whether objects that depend on this one are checked whatever its earlier values: it was
        /// deleted and returned, or a merge policy replaced its values.
        var affectsDependents = false
        var state: State
        /// Whether the object counts as changed even if its values are equal.
        var isTouched = false
    }

    private(set) var objects: [ManagedObjectID: Change] = [:]
    /// Objects whose to-manys have other members.
    var owners: Set<ManagedObjectID> = []

    var isEmpty: Bool { objects.isEmpty && owners.isEmpty }

    /// Adds a change that is newer than those added before.
    mutating func add(_ change: Change, of id: ManagedObjectID) {
        guard var known = objects[id] else {
            objects[id] = change
            return
        }
        known.state = change.state
        known.affectsDependents = known.affectsDependents || change.affectsDependents
        known.isTouched = known.isTouched || change.isTouched
        // It is not known which record is older.
        known.olds += change.olds
        objects[id] = known
    }
}

/// The changes recorded for lists until they are notified.
struct PendingListChanges {
    /// Merged saves of other contexts, each with its part of the context.
    var merged: [(part: ContextPart, changes: SavedChanges)] = []
    /// Parts that had saved before they merged, so that the merged rows may be older.
    var doubtful: Set<ObjectIdentifier> = []
    /// Objects that have changed.
    var ids: Set<ManagedObjectID> = []
    /// Objects that got other values by a merge policy.
    var replaced: Set<ManagedObjectID> = []
    /// Objects that this context saved.
    var saved: [ManagedObject] = []
    /// Objects whose deletion this context saved.
    var savedDeletions: [ManagedObject] = []
    /// Whether anything may have changed, even with equal versions.
    var isEverything = false
    /// Whether there were saves with unknown changes.
    var isUnknownSave = false
    /// Whether the context was reset or lost a store.
    var isReset = false

    var isEmpty: Bool {
        merged.isEmpty && ids.isEmpty && saved.isEmpty && savedDeletions.isEmpty && !isEverything
            && !isUnknownSave && !isReset
    }
}

extension ContextPart {
    /// Returns the changes of this part's objects for lists.
    ///
    /// - Parameters:
    ///   - noted: The changes recorded for lists.
    ///   - changed: The changed objects with their earlier state.
    ///   - refreshed: The refreshed objects.
    ///   - showsChanges: Whether unsaved changes are included.
    func listChanges(
        _ noted: PendingListChanges, _ changed: [ManagedObject: ContextEvents.Before],
        _ refreshed: Set<ManagedObject>, showsChanges: Bool
    ) -> ListChanges {
        var changes = ListChanges()
        for (part, saved) in noted.merged where part === self {
            addMerged(
                saved, isDoubtful: noted.doubtful.contains(ObjectIdentifier(self)),
                showsChanges: showsChanges, to: &changes)
        }
        for id in noted.ids where isOwn(id) {
            let current = currentID(of: id)
            if id.isTemporaryID {
                // The temporary ID is of a parent's new object.
                if current.isTemporaryID, parentPart == nil { continue }
                changes.add(.init(state: state(of: current, showsChanges)), of: current)
                continue
            }
            // The object may have been merged with another one.
            changes.add(
                .init(state: current == id ? state(of: id, showsChanges) : .gone), of: id)
        }
        for (object, before) in changed where object.plan.handle === handle {
            if !showsChanges, object.hasChanges { continue }
            let id = object.objectID
            // For a fault, the base of its edits; for a deleted object, its row.
            let old = before.row ?? object.extra?.base ?? (object.isThere ? nil : object.row)
            changes.add(
                .init(
                    olds: old.map { [$0] } ?? [], isNew: before.isNew,
                    affectsDependents: before.wasDeleted && object.isThere,
                    state: state(of: object, showsChanges),
                    isTouched: before.hasOtherMembers), of: id)
            if before.hasOtherMembers { changes.owners.insert(id) }
        }
        for object in noted.saved where object.plan.handle === handle {
            let id = object.objectID
            if changes.objects[id] != nil { continue }
            // A list with unsaved changes was notified when the changes were made.
            let old = showsChanges ? object.row : nil
            changes.add(
                .init(olds: old.map { [$0] } ?? [], state: state(of: object, showsChanges)), of: id)
        }
        // A list with unsaved changes was notified when the objects were deleted.
        for object in showsChanges ? [] : noted.savedDeletions
        where object.plan.handle === handle && changes.objects[object.objectID] == nil {
            changes.add(
                .init(olds: object.row.map { [$0] } ?? [], state: .gone), of: object.objectID)
        }
        for object in refreshed where object.plan.handle === handle {
            let id = object.objectID
            if id.isTemporaryID, parentPart == nil { continue }
            changes.add(
                .init(
                    affectsDependents: noted.replaced.contains(id),
                    state: state(of: object, showsChanges), isTouched: true), of: id)
        }
        return changes
    }

    private func addMerged(
        _ saved: SavedChanges, isDoubtful: Bool, showsChanges: Bool, to changes: inout ListChanges
    ) {
        func add(_ row: Row, old: Row?, _ state: ListChanges.State) {
            let id = row.objectID(in: model, store: handle.store)
            var change = ListChanges.Change(
                olds: old.map { [$0] } ?? [], isNew: old == nil, state: state)
            let known = registeredHere(id)
            if let known, showsChanges || !known.hasChanges, known.words != nil || !known.isThere {
                change.state = self.state(of: known, showsChanges)
            } else if isDoubtful {
                change.state = .unread
            }
            changes.add(change, of: id)
        }
        for row in saved.inserts { add(row, old: nil, .row(row)) }
        for update in saved.updates { add(update.row, old: update.base, .row(update.row)) }
        for row in saved.deletes { add(row, old: row, .gone) }
        for change in saved.edges {
            for pair in change.added + change.removed {
                changes.owners.formUnion([pair.source, pair.destination])
            }
        }
    }

    private func state(of id: ManagedObjectID, _ showsChanges: Bool) -> ListChanges.State {
        registeredHere(id).map { state(of: $0, showsChanges) } ?? .unread
    }

    /// Returns the present state of an object, which later writes do not change.
    private func state(of object: ManagedObject, _ showsChanges: Bool) -> ListChanges.State {
        if !showsChanges, object.hasChanges {
            if object.flags.contains(.inserted) { return .gone }
            switch object.extra?.meanwhile {
            case .changed(let row): return .row(row)
            case .deleted: return .gone
            case nil: break
            }
            return (object.extra?.base ?? object.row).map { .row($0) } ?? .unread
        }
        if !object.isThere { return .gone }
        _ = rowWithPermanentKeys(of: object)
        return object.rowBeforeWrite.map { .row($0) } ?? .unread
    }
}
