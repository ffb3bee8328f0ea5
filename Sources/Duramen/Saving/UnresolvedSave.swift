import DuramenModel
import DuramenStore
import Foundation

/// A save of which nobody knows yet whether the store has it, as it was given to the store.
struct UnresolvedSave {
    /// An object that was to be written.
    struct Written {
        let object: ManagedObject
        /// A copy of the row, which the object may have edited since.
        let row: Row
        /// What the edits were based on; nil for a new object.
        let base: Row?
    }

    /// The save's own name, which the store records with what it writes.
    let identifier: UUID
    let written: [Written]
    let deleted: [ManagedObject]
    /// Many-to-many pairs that were to be added or removed, but for those whose edits were dropped since.
    var edges: [EdgeKey: Bool]
    /// Whether the context dropped its changes since, so that the save is as good as somebody else's.
    var isDropped = false
    /// The rows of the deleted objects, as they were.
    let deletedRows: [Row]
    /// The pairs that were added or ended, those of deleted objects included.
    let publishedEdges: [EdgeChange]

    init(_ pending: PendingSave, edges: [EdgeKey: Bool], model: ManagedObjectModel) {
        identifier = pending.changes.identifier
        deleted = pending.deleted
        self.edges = edges
        deletedRows = pending.published.deletes
        publishedEdges = pending.published.edges
        var copies = RowBatchBuilder(capacity: 1_024)
        let rows = pending.changes.inserts + pending.changes.updates.map(\.row)
        for row in rows {
            copies.append(row, layout: model[row.entityID].layout, version: row.version)
        }
        let batch = copies.finish()
        written = (pending.inserted + pending.updated).enumerated().map { place, object in
            Written(object: object, row: batch[place], base: object.extra?.base)
        }
    }

    /// What the save changed, as others are told, and as it is stored now.
    func news(_ stored: StoredOutcome) -> SavedChanges {
        var news = SavedChanges()
        news.deletes = deletedRows
        for item in written {
            switch (item.base, stored.rows[item.object.objectID]) {
            case (let base?, let row?): news.updates.append(.init(base: base, row: row))
            case (nil, let row?): news.inserts.append(row)
            // Deleted since by somebody who knew other values.
            case (let base?, nil): news.deletes.append(base)
            case (nil, nil): break
            }
        }
        news.edges = stored.edges
        return news
    }
}

/// What a store has, at one moment, of what a save wrote.
struct StoredOutcome {
    /// The rows that are there.
    private(set) var rows: [ManagedObjectID: Row] = [:]
    /// The pairs that the save added or took away: added where they are there, removed where not.
    private(set) var edges: [EdgeChange] = []

    init(
        of save: UnresolvedSave, in snapshot: some StoreSnapshot, of store: any PersistentStore
    ) throws(StoreError) {
        for row in try snapshot.rows(for: save.written.map(\.object.objectID)) {
            rows[row.objectID(in: store.model, store: store.handle)] = row
        }
        for change in save.publishedEdges {
            let pairs = change.added + change.removed
            let sources = Set(pairs.map(\.source)).sorted()
            let lists = try snapshot.destinations(of: change.relationship, from: sources)
            var members: [ManagedObjectID: Set<ManagedObjectID>] = [:]
            for (source, list) in zip(sources, lists) { members[source] = Set(list) }
            var found = EdgeChange(relationship: change.relationship)
            for pair in pairs {
                if members[pair.source]?.contains(pair.destination) == true {
                    found.added.append(pair)
                } else {
                    found.removed.append(pair)
                }
            }
            edges.append(found)
        }
    }
}
