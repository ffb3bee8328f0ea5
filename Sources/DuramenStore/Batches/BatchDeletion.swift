public import DuramenModel
public import DuramenQuery

/// Deletes rows in one transaction, and applies their delete rules.
///
/// Denied deletions are found before anything is written. Objects with a nullified relationship
/// lose their reference, even if the model calls it mandatory: the minimum counts of relationships
/// are not checked.
public struct BatchDeletion {
    /// The rows to delete.
    public enum Selection: Sendable {
        /// Rows that match a query, within its window and in its order.
        case query(StoreQuery)
        /// Rows with the given IDs; unknown IDs are left out.
        case objectIDs([ManagedObjectID])
    }

    private let selection: Selection
    private let settings: BatchSettings

    /// Describes a batch that deletes rows.
    public init(_ selection: Selection, _ settings: BatchSettings) {
        self.selection = selection
        self.settings = settings
    }

    /// Deletes the rows.
    ///
    /// - Throws: `.deletionDenied`; `.invalidRequest` for an entity or property that the model does
    ///   not have; `.unsupported`; `.cancelled`; the store's errors. After any error nothing was
    ///   written.
    /// - Complexity: Needs the memory of a part if no rule affects other objects. Otherwise it
    ///   keeps the IDs of all deleted objects and of those that lose a reference.
    public func run(on store: any PersistentStore) throws(StoreError) -> BatchOutcome {
        let batching = try store.batchWriting()
        var record = BatchRecord(of: store, keepsObjectIDs: settings.keepsObjectIDs)
        let generation = try batching.writeBatch(settings.heading) {
            transaction throws(StoreError) in
            let writer = DeletionWriter(transaction, store, settings)
            var plan = DeletionPlan(transaction.base, store, settings.cancellation)
            let isAlone = entities(of: store).allSatisfy { plan.isAlone($0) }
            if isAlone, case .query(let query) = selection, !query.isWindowed,
                !store.model.derives(from: store.model[query.entity])
            {
                let execution = try QueryExecution(query, on: store, in: transaction.base)
                let count = try execution.writtenAtOnce(settings) { query throws(StoreError) in
                    try transaction.delete(query)
                }
                if let count {
                    record.noteResults(count)
                    return try settings.note(count)
                }
            }
            // Deletes rows immediately if they affect no other objects; plans the others.
            func take(_ rows: [Row]) throws(StoreError) {
                if rows.isEmpty { return }
                if isAlone { try writer.delete(rows, &record) } else { try plan.add(rows) }
            }
            var rows: [Row] = []
            try forEachRow(of: transaction.base, store) { row throws(StoreError) in
                record.noteResult(row.objectID(in: store.model, store: store.handle))
                rows.append(row)
                if rows.count == BatchSettings.rowsPerPart {
                    try take(rows)
                    rows = []
                }
            }
            try take(rows)
            try plan.finish()
            try writer.write(plan, &record)
        }
        record.end(generation)
        return record.outcome
    }

    /// The entities that the rows may have.
    private func entities(of store: any PersistentStore) -> Set<EntityID> {
        switch selection {
        case .query(let query):
            guard store.model.entities.indices.contains(query.entity.index) else { return [] }
            return Set(
                query.includesSubentities ? store.model[query.entity].family : [query.entity])
        case .objectIDs(let ids): return Set(ids.compactMap { store.model.entity(of: $0)?.id })
        }
    }

    private func forEachRow(
        of snapshot: any StoreSnapshot, _ store: any PersistentStore,
        _ body: (Row) throws(StoreError) -> Void
    ) throws(StoreError) {
        switch selection {
        case .objectIDs(let ids):
            var known: Set<ManagedObjectID> = []
            let own = ids.filter { $0.store == store.handle && known.insert($0).inserted }
            for part in own.parts {
                for row in try snapshot.batches(for: part).joined() { try body(row) }
            }
        case .query(var query):
            query.cancellation = settings.cancellation
            let execution = try QueryExecution(query, on: store, in: snapshot)
            if query.isWindowed {
                for row in try execution.rows() { try body(row) }
                return
            }
            try execution.forEachMatch(in: SnapshotSource(store, snapshot)) {
                row throws(StoreError) in
                try body(row)
                return true
            }
        }
    }
}

/// Writes the parts of a deletion.
private struct DeletionWriter {
    private let transaction: any BatchTransaction
    private let store: any PersistentStore
    private let settings: BatchSettings

    init(
        _ transaction: any BatchTransaction, _ store: any PersistentStore, _ settings: BatchSettings
    ) {
        self.transaction = transaction
        self.store = store
        self.settings = settings
    }

    /// Deletes rows to which no stored row refers any more.
    func delete(_ rows: [Row], _ record: inout BatchRecord) throws(StoreError) {
        let deletions = rows.map {
            RowDeletion(
                id: $0.objectID(in: store.model, store: store.handle), baseVersion: $0.version)
        }
        try notePairs(of: deletions.map(\.id), &record)
        try write(ChangeSet(deletes: deletions))
        for row in rows { record.noteDeletion(of: row) }
        try settings.note(record.outcome.count)
    }

    /// Carries out a plan.
    func write(_ plan: DeletionPlan, _ record: inout BatchRecord) throws(StoreError) {
        try forEachPart(of: plan.nullified.keys.sorted()) { rows throws(StoreError) in
            var updates: [RowUpdate] = []
            for row in rows {
                let id = row.objectID(in: store.model, store: store.handle)
                guard let slots = plan.nullified[id] else { continue }
                let layout = store.model[row.entityID].layout
                let new = try row.replacing(slots, layout: layout) { _ throws(StoreError) in }
                updates.append(
                    RowUpdate(row: new, baseVersion: row.version, changedSlots: slots))
                record.noteUpdate(of: row)
            }
            try write(ChangeSet(updates: updates))
            try settings.note(record.outcome.count)
        }
        try forEachPart(of: plan.doomed.sorted()) { rows throws(StoreError) in
            try delete(rows, &record)
        }
    }

    private func forEachPart(
        of ids: [ManagedObjectID], _ body: ([Row]) throws(StoreError) -> Void
    ) throws(StoreError) {
        for part in ids.parts { try body(Array(try transaction.base.batches(for: part).joined())) }
    }

    /// Records the pairs that the store removes with the objects, if the outcome keeps changes.
    private func notePairs(
        of ids: [ManagedObjectID], _ record: inout BatchRecord
    ) throws(StoreError) {
        if record.outcome.changes == nil { return }
        var byEntity: [EntityID: [ManagedObjectID]] = [:]
        for id in ids {
            if let entity = store.model.entity(of: id) {
                byEntity[entity.id, default: []].append(id)
            }
        }
        for (entity, ids) in byEntity {
            for relationship in store.model[entity].toManyRelationships {
                guard case .manyToMany = relationship.storage else { continue }
                let others = try transaction.base.destinations(of: relationship.id, from: ids)
                for (id, others) in zip(ids, others) {
                    record.noteRemoval(
                        of: others.map { EdgeChange.Edge(from: id, to: $0) }, relationship.id)
                }
            }
        }
    }

    private func write(_ part: ChangeSet) throws(StoreError) {
        if let conflict = try transaction.write(part).first {
            // Neither null values nor deleted rows conflict.
            throw store.model.uniquenessViolated(conflict)
        }
    }
}
