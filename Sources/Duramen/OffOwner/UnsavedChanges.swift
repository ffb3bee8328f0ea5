import DuramenModel
import DuramenQuery
import DuramenStore

/// The unsaved changes of a context to one store, as a sendable value for queries off the owner.
struct UnsavedChanges: Sendable {
    /// A to-many of an object.
    struct Source: Hashable {
        let relationship: RelationshipID
        let id: ManagedObjectID
    }

    /// Copies of the rows of changed objects; nil for a deleted object.
    private(set) var rows: [ManagedObjectID: Row?] = [:]
    /// The added (true) and removed (false) members, by to-many.
    private(set) var members: [Source: [ManagedObjectID: Bool]] = [:]

    /// Collects the changes of a context on top of those of its ancestors.
    init(of part: ContextPart) {
        var level: ContextPart? = part
        var levels: [ContextPart] = []
        while let next = level {
            levels.append(next)
            level = next.parentPart
        }
        for part in levels.reversed() { add(part) }
    }

    func isDeleted(_ id: ManagedObjectID) -> Bool {
        if case .some(nil) = rows[id] { true } else { false }
    }

    private mutating func add(_ part: ContextPart) {
        var copied: [Row] = []
        var ids: [ManagedObjectID] = []
        for object in part.tracker.visited {
            guard object.hasChanges else { continue }
            guard object.isThere else {
                rows[object.objectID] = .some(nil)
                continue
            }
            // A fault with changes only in pairs has the stored values.
            guard let row = part.rowWithPermanentKeys(of: object) else { continue }
            ids.append(object.objectID)
            copied.append(row)
        }
        for id in part.ledger.deletedElsewhere { rows[id] = .some(nil) }
        // Copies, because the objects' own rows may be edited while the query runs.
        for (id, row) in zip(ids, RowBatch.copying(copied, part.model)) { rows[id] = row }
        // Also of deleted owners, which members refer to until a rule clears it or refuses.
        for owner in part.tracker.touched where !owner.flags.contains(.gone) {
            addMembers(of: owner, part)
        }
    }

    private mutating func addMembers(of owner: ManagedObject, _ part: ContextPart) {
        for (index, state) in (owner.extra?.toManys ?? []).enumerated() {
            guard let state, state.hasEdits else { continue }
            let edits = state.edits(of: owner, at: index, in: part).filter { id, _ in
                // Unsaved references may refer to another store, whose objects predicates do not
                // see.
                part.registeredHere(id) != nil || !id.isTemporaryID && part.isOwn(id)
            }
            let source = Source(relationship: owner.plan.toManys[index].id, id: owner.objectID)
            members[source, default: [:]].merge(edits) { $1 }
        }
    }
}

/// The state of a store with unsaved changes on top, for the evaluator.
final class UnsavedSource: EvaluationSource {
    private let changes: UnsavedChanges
    private let stored: SnapshotSource

    init(_ changes: UnsavedChanges, on store: any PersistentStore, in snapshot: any StoreSnapshot) {
        self.changes = changes
        stored = SnapshotSource(store, snapshot)
    }

    var model: ManagedObjectModel { stored.model }
    var store: StoreHandle { stored.store }

    func expect(_ rows: @escaping () -> [Row]) { stored.expect(rows) }
    func advance(to index: Int) { stored.advance(to: index) }

    func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        if let known = changes.rows[id] { return known }
        return id.isTemporaryID ? nil : try stored.row(for: id)
    }

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        let known = id.isTemporaryID ? [] : try stored.destinations(of: relationship, from: id)
        var members = Set(known)
        let source = UnsavedChanges.Source(relationship: relationship.id, id: id)
        for (member, isAdded) in changes.members[source] ?? [:] {
            if isAdded { members.insert(member) } else { members.remove(member) }
        }
        return members.filter { !changes.isDeleted($0) }
    }
}
