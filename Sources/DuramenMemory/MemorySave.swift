import DuramenModel
import DuramenStore
import HashTreeCollections

/// One save: from a state and a change set to the next state, or to the conflicts.
///
/// All edits are written into a copy of the state. Uniqueness is checked in this copy, even if
/// versions conflict, so that the save returns all conflicts at once.
struct MemorySave {
    let model: ManagedObjectModel
    let store: StoreHandle
    let base: MemoryState
    private(set) var next: MemoryState
    private(set) var conflicts: [StoreConflict] = []
    /// The rows that are written, and their keys once a conflict needs them.
    private var writtenRows: RowList = []
    private var writtenKeys: Set<ManagedObjectKey>?
    /// The objects with version conflicts; a checked object may be written too.
    private var inConflict: Set<ManagedObjectID> = []

    init(_ base: MemoryState, model: ManagedObjectModel, store: StoreHandle) {
        self.base = base
        self.model = model
        self.store = store
        next = base
        next.generation += 1
    }

    /// The version of all rows that the save writes. A save's number is used once, so no row has
    /// had it.
    var version: RowVersion { RowVersion(rawValue: next.generation) }

    mutating func apply(_ changes: ChangeSet) throws(StoreError) {
        var checks = ChangeChecks(model: model, store: store)
        try checks.check(changes)
        try checkInserts(changes.inserts)
        checkVersions(changes)
        write(changes)
    }

    private func checkInserts(_ rows: RowList) throws(StoreError) {
        for row in rows where base.tables[model[row.entityID].root.index][row.key] != nil {
            throw StoreError(
                .invalidRequest,
                "An object of '\(model[row.entityID].name)' is inserted "
                    + "under a key that is in use; "
                    + "allocate a key for it.",
                objectID: row.objectID(in: model, store: store))
        }
    }

    private mutating func checkVersions(_ changes: ChangeSet) {
        for update in changes.updates {
            check(update.row.objectID(in: model, store: store), update.baseVersion)
        }
        for deletion in changes.deletes { check(deletion.id, deletion.baseVersion) }
        for rowCheck in changes.checks { check(rowCheck.id, rowCheck.baseVersion) }
    }

    private mutating func check(_ id: ManagedObjectID, _ version: RowVersion) {
        let stored = base.row(for: id, in: model)
        if stored?.version == version || !inConflict.insert(id).inserted { return }
        conflicts.append(
            .version(VersionConflict(id: id, baseVersion: version, storedRow: stored)))
    }

    private mutating func write(_ changes: ChangeSet) {
        for update in changes.updates { takeOut(update.row.objectID(in: model, store: store)) }
        for deletion in changes.deletes { takeOut(deletion.id) }
        writtenRows = changes.inserts + changes.updates.map(\.row)
        for row in CompactRows.copies(of: writtenRows, model: model, version: version) {
            let entity = model[row.entityID]
            next.put(row, of: entity, in: model)
            claimUniqueValues(of: row, entity)
        }
        for change in changes.edges { write(change) }
        for deletion in changes.deletes {
            guard let entity = model.entity(of: deletion.id) else { continue }
            next.takeOutPairs(of: deletion.id.key, entity, in: model)
        }
        for (name, value) in changes.metadata {
            next.userInfo[name] = value.isNull ? nil : value
        }
    }

    private mutating func takeOut(_ id: ManagedObjectID) {
        guard let row = base.row(for: id, in: model) else { return }
        next.takeOut(row, of: model[row.entityID], in: model)
    }

    private mutating func write(_ change: EdgeChange) {
        let relationship = model[change.relationship]
        for edge in change.removed {
            next.removePair(relationship, edge.source.key, edge.destination.key)
        }
        for edge in change.added {
            next.addPair(relationship, edge)
        }
    }

    private mutating func claimUniqueValues(of row: Row, _ entity: Entity) {
        for constraint in entity.uniquenessConstraints {
            guard let value = UniqueValue(constraint, of: row, layout: entity.layout) else {
                continue
            }
            guard let holder = next.holders[value] else {
                next.holders[value] = key(of: row)
                continue
            }
            guard let other = next.tables[holder.root.index][holder.key] else { continue }
            conflicts.append(
                .uniqueness(
                    UniquenessConflict(
                        constraint: constraint, id: row.objectID(in: model, store: store),
                        otherID: other.objectID(in: model, store: store),
                        storedRow: isWritten(holder) ? nil : other)))
        }
    }

    private mutating func isWritten(_ object: ManagedObjectKey) -> Bool {
        let keys = writtenKeys ?? Set(writtenRows.map { key(of: $0) })
        writtenKeys = keys
        return keys.contains(object)
    }

    private func key(of row: Row) -> ManagedObjectKey {
        ManagedObjectKey(root: model[row.entityID].root, key: row.key)
    }
}
