import DuramenModel
import DuramenStore

/// What happened to the objects of one store since a list was told last: values to be judged
/// anywhere.
struct ListChanges: Sendable {
    /// What an object has.
    enum State: Sendable {
        case row(Row)
        /// It is deleted, or was never there.
        case gone
        /// Its store has to be asked.
        case unread
    }

    struct Change: Sendable {
        /// What it had, by all accounts; nothing when that is not known.
        var olds: [Row] = []
        /// Whether there was no such object.
        var isNew = false
        var state: State
        /// Whether it counts as changed although it shows the same.
        var isTouched = false
    }

    private(set) var objects: [ManagedObjectID: Change] = [:]
    /// Objects whose to-manys have other members.
    var owners: Set<ManagedObjectID> = []

    var isEmpty: Bool { objects.isEmpty && owners.isEmpty }

    /// Adds what is known later than what was added before.
    mutating func add(_ change: Change, of id: ManagedObjectID) {
        guard var known = objects[id] else {
            objects[id] = change
            return
        }
        known.state = change.state
        known.isTouched = known.isTouched || change.isTouched
        // Nobody knows which account is the older one.
        known.olds += change.olds
        objects[id] = known
    }
}

/// What is noted for lists until they are told.
struct PendingListChanges {
    /// Saves of other contexts that were merged, each with the part of the context that it is of.
    var merged: [(part: ContextPart, changes: SavedChanges)] = []
    /// Parts that had saved themselves before they merged, so that what they merged may be older.
    var doubtful: Set<ObjectIdentifier> = []
    /// Objects that are known to have changed.
    var ids: Set<ManagedObjectID> = []
    /// Objects that this context saved.
    var saved: [ManagedObject] = []
    /// Objects whose deletion this context saved.
    var savedDeletions: [ManagedObject] = []
    /// Whether anything may have changed, versions or not.
    var isEverything = false
    /// Whether others saved nobody knows what.
    var isUnknownSave = false
    /// Whether the context was reset, or lost a store.
    var isReset = false

    var isEmpty: Bool {
        merged.isEmpty && ids.isEmpty && saved.isEmpty && savedDeletions.isEmpty && !isEverything
            && !isUnknownSave && !isReset
    }
}

extension ContextPart {
    /// What happened to objects of this part, as lists need it.
    ///
    /// - Parameter showsChanges: Whether unsaved changes count.
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
                // Of a parent's new object.
                if current.isTemporaryID, parentPart == nil { continue }
                changes.add(.init(state: state(of: current, showsChanges)), of: current)
                continue
            }
            // It may have become one with another object.
            changes.add(
                .init(state: current == id ? state(of: id, showsChanges) : .gone), of: id)
        }
        for (object, before) in changed where object.plan.handle === handle {
            if !showsChanges, object.hasChanges { continue }
            let id = object.objectID
            // Of a fault, what its edits are based on, or what is deleted.
            let old = before.row ?? object.extra?.base ?? (object.isThere ? nil : object.row)
            changes.add(
                .init(
                    olds: old.map { [$0] } ?? [], isNew: before.isNew,
                    state: state(of: object, showsChanges),
                    isTouched: before.hasOtherMembers), of: id)
            if before.hasOtherMembers { changes.owners.insert(id) }
        }
        for object in noted.saved where object.plan.handle === handle {
            let id = object.objectID
            if changes.objects[id] != nil { continue }
            // With unsaved changes it was told of them when they were made.
            let old = showsChanges ? object.row : nil
            changes.add(
                .init(olds: old.map { [$0] } ?? [], state: state(of: object, showsChanges)), of: id)
        }
        // Lists that show unsaved changes were told of deletions when they were made.
        for object in showsChanges ? [] : noted.savedDeletions
        where object.plan.handle === handle && changes.objects[object.objectID] == nil {
            changes.add(
                .init(olds: object.row.map { [$0] } ?? [], state: .gone), of: object.objectID)
        }
        for object in refreshed where object.plan.handle === handle {
            let id = object.objectID
            if id.isTemporaryID, parentPart == nil { continue }
            changes.add(.init(state: state(of: object, showsChanges), isTouched: true), of: id)
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

    /// What an object has, as it stays.
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
