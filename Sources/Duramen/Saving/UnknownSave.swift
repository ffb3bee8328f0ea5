import DuramenModel
import DuramenStore
import Foundation

/// A save of unknown outcome, as it was passed to the store.
struct UnknownSave: Sendable {
    /// A row to write.
    struct Written: Sendable {
        /// A copy, because the object's own row may be edited.
        let row: Row
        /// The base of the edits; nil for a new object.
        let base: Row?
    }

    /// The identifier of the save, which the store records with the changes.
    let identifier: UUID
    /// New rows, then changed ones.
    let written: [Written]
    /// The last rows of the deleted objects.
    let deleted: [Row]
    /// The added and removed pairs, including those of deleted objects.
    let edges: [EdgeChange]

    init(_ pending: PendingSave, model: ManagedObjectModel) {
        identifier = pending.changes.identifier
        deleted = pending.deletedRows
        edges = pending.edges
        var copies = RowBatchBuilder(capacity: 1_024)
        let rows = pending.changes.inserts + pending.changes.updates.map(\.row)
        for row in rows {
            copies.append(row, layout: model[row.entityID].layout, version: row.version)
        }
        let objects = pending.inserted + pending.updated
        written = zip(copies.finish(), objects).map { Written(row: $0, base: $1.extra?.base) }
    }

    /// Returns the changes to save, with the copies of the rows.
    func withCopies(_ changes: ChangeSet) -> ChangeSet {
        var changes = changes
        let rows = written.map(\.row)
        changes.inserts = RowList(rows.prefix(changes.inserts.count))
        for (index, row) in rows.dropFirst(changes.inserts.count).enumerated() {
            changes.updates[index].row = row
        }
        return changes
    }
}

/// The present stored state of the rows that a save wrote. Other saves may have changed them since.
struct StoredOutcome {
    /// The rows that exist.
    private(set) var rows: [ManagedObjectID: Row] = [:]
    /// The changes of the save, for other contexts.
    private(set) var news = SavedChanges()
    /// The rows in ``news`` that the save did not write itself, but changed through derived
    /// attributes.
    private(set) var derived: [SavedChanges.Update] = []

    init(of save: UnknownSave, in store: any PersistentStore) throws(StoreError) {
        let snapshot: any StoreSnapshot = try store.snapshot()
        let ids = save.written.map { $0.row.objectID(in: store.model, store: store.handle) }
        for row in try snapshot.batches(for: ids).joined() {
            rows[row.objectID(in: store.model, store: store.handle)] = row
        }
        news.deletes = save.deleted
        for (item, id) in zip(save.written, ids) {
            switch (item.base, rows[id]) {
            case (let base?, let row?): news.updates.append(.init(base: base, row: row))
            case (nil, let row?): news.inserts.append(row)
            // Deleted since by another save that did not know this one.
            case (let base?, nil): news.deletes.append(base)
            case (nil, nil): break
            }
        }
        for change in save.edges { news.edges.append(try Self.stored(change, in: snapshot)) }
    }

    /// Creates the outcome of a save that a store has just written.
    init(
        of save: UnknownSave, _ receipt: SaveReceipt, in model: ManagedObjectModel,
        store: StoreHandle
    ) {
        var copies = RowBatchBuilder(capacity: 1_024)
        let versions = receipt.insertedVersions + receipt.updatedVersions
        for (item, version) in zip(save.written, versions) {
            copies.append(item.row, layout: model[item.row.entityID].layout, version: version)
        }
        for (row, item) in zip(copies.finish(), save.written) {
            rows[row.objectID(in: model, store: store)] = row
            if let base = item.base {
                news.updates.append(.init(base: base, row: row))
            } else {
                news.inserts.append(row)
            }
        }
        news.deletes = save.deleted
        news.edges = save.edges
        for change in receipt.derivedRows {
            let id = change.row.objectID(in: model, store: store)
            if rows[id] != nil { rows[id] = change.row }
        }
        derived = news.add(receipt.derivedRows)
    }

    /// Splits the pairs of a change into stored (added) and missing (removed) pairs.
    private static func stored(
        _ change: EdgeChange, in snapshot: any StoreSnapshot
    ) throws(StoreError) -> EdgeChange {
        let pairs = change.added + change.removed
        let sources = Set(pairs.map(\.source)).sorted()
        let lists = try snapshot.destinations(of: change.relationship, from: sources)
        var members: [ManagedObjectID: Set<ManagedObjectID>] = [:]
        for (source, list) in zip(sources, lists) { members[source] = Set(list) }
        let isThere = { (pair: EdgeChange.Edge) in
            members[pair.source]?.contains(pair.destination) == true
        }
        return EdgeChange(
            relationship: change.relationship, added: pairs.filter(isThere),
            removed: pairs.filter { !isThere($0) })
    }
}
