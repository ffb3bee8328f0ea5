import DuramenModel
import DuramenStore

/// One save: from a state and a change set to the next state, or to the conflicts.
///
/// All edits are made in a copy of the state before anything is judged, so that their order means
/// nothing and all conflicts come back at once.
struct JSONSave {
    private struct UniqueValue: Hashable {
        var constraint: UniquenessConstraint
        var values: [StoredValue]
    }

    let base: JSONState
    let model: ManagedObjectModel
    let store: StoreHandle
    private(set) var next: JSONState
    private(set) var conflicts: [StoreConflict] = []

    /// The version of all rows that the save writes. Its number is used once, so no row had it.
    var version: RowVersion { RowVersion(rawValue: next.header.generation) }

    init(
        _ changes: ChangeSet, on base: JSONState, model: ManagedObjectModel, store: StoreHandle
    ) throws(StoreError) {
        self.base = base
        self.model = model
        self.store = store
        next = base
        next.header.generation += 1
        next.header.remember(changes.identifier)
        try changes.check(model: model, store: store)
        try checkKeys(of: changes.inserts)
        for update in changes.updates { checkVersion(id(update.row), update.baseVersion) }
        for deletion in changes.deletes { checkVersion(deletion.id, deletion.baseVersion) }
        for deletion in changes.deletes { next.rows[deletion.id] = nil }
        let written = write(changes.inserts + changes.updates.map(\.row))
        write(changes.edges, without: Set(changes.deletes.map(\.id)))
        for (name, value) in changes.metadata {
            next.header.userInfo[name] = value.isNull ? nil : value
        }
        checkUniqueness(of: written)
    }

    private func id(_ row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }

    private func checkKeys(of inserts: [Row]) throws(StoreError) {
        if inserts.isEmpty { return }
        var used: [EntityID: Set<Int64>] = [:]
        for row in base.rows.values {
            used[model[row.entityID].root, default: []].insert(row.key)
        }
        for row in inserts {
            let root = model[row.entityID].root
            let isFree = used[root]?.contains(row.key) != true
            if !isFree || row.key >= base.header.nextKeys[model[root].name] ?? 0 {
                throw StoreError(
                    .invalidRequest,
                    "An object of '\(model[row.entityID].name)' is inserted under a key that is in use "
                        + "or was never handed out; allocate a key for it.",
                    objectID: id(row))
            }
        }
    }

    private mutating func checkVersion(_ id: ManagedObjectID, _ version: RowVersion) {
        let stored = base.rows[id]
        if stored?.version == version { return }
        conflicts.append(
            .version(VersionConflict(id: id, baseVersion: version, storedRow: stored)))
    }

    /// Writes copies of rows, since the caller's would keep the caller's memory alive.
    private mutating func write(_ rows: [Row]) -> [ManagedObjectID] {
        var builder = RowBatchBuilder(capacity: rows.count * 128)
        for row in rows {
            builder.append(row, layout: model[row.entityID].layout, version: version)
        }
        return builder.finish().map { row in
            next.rows[id(row)] = row
            return id(row)
        }
    }

    private mutating func write(_ edges: [EdgeChange], without deleted: Set<ManagedObjectID>) {
        for change in edges {
            let relationship = model[change.relationship]
            let isFirst = relationship.id < relationship.inverse
            let first = isFirst ? relationship.id : relationship.inverse
            func turned(_ edges: [EdgeChange.Edge]) -> [EdgeChange.Edge] {
                isFirst ? edges : edges.map { .init(from: $0.destination, to: $0.source) }
            }
            next.pairs[first, default: []].subtract(turned(change.removed))
            next.pairs[first, default: []].formUnion(turned(change.added))
        }
        if deleted.isEmpty { return }
        next.pairs = next.pairs.mapValues { edges in
            edges.filter { !deleted.contains($0.source) && !deleted.contains($0.destination) }
        }
    }

    /// Looks for unique values that two rows share, of which the save wrote at least one.
    private mutating func checkUniqueness(of written: [ManagedObjectID]) {
        let mine = Set(written)
        var holders: [UniqueValue: ManagedObjectID] = [:]
        // The rows that stay as they are come first, so that a conflict is always a written row's.
        for id in next.rows.keys.filter({ !mine.contains($0) }) + written {
            guard let row = next.rows[id] else { continue }
            for constraint in model[row.entityID].uniquenessConstraints {
                guard let value = uniqueValue(constraint, row) else { continue }
                guard let holder = holders.updateValue(id, forKey: value) else { continue }
                conflicts.append(
                    .uniqueness(
                        UniquenessConflict(
                            constraint: constraint, id: id, otherID: holder,
                            storedRow: mine.contains(holder) ? nil : next.rows[holder])))
            }
        }
    }

    /// The values that a constraint allows once; nil when one of them is null.
    private func uniqueValue(_ constraint: UniquenessConstraint, _ row: Row) -> UniqueValue? {
        let kinds = model[row.entityID].layout.kinds
        let values = constraint.slots.map { row.value($0, kinds[$0]) }
        return values.contains(.null) ? nil : UniqueValue(constraint: constraint, values: values)
    }
}
