import DuramenModel
import DuramenQuery
import DuramenStore

/// A query to one store, with the unsaved changes that affect it, to be run off the owner.
struct QueryOffOwner: Sendable {
    var query: LoweredQuery
    let store: any PersistentStore
    /// The state that the context is pinned to; nil for the newest state.
    var pinned: (any StoreSnapshot)?
    /// The unsaved changes; nil if none can affect the result.
    let changes: UnsavedChanges?
    /// Whether results become faults where a row has a damaged value.
    var makesFaults = false

    /// Runs the query.
    ///
    /// - Parameter onProgress: Called with the number of rows loaded so far.
    func answer(_ onProgress: (Int) -> Void) throws(StoreError) -> AnswerOffOwner {
        let snapshot = try snapshot()
        if let pending = pending(in: snapshot) {
            return .rows(try pending.items().map { (0, $0.row) })
        }
        let execution = try QueryExecution(query, on: store, in: snapshot)
        guard execution.isStreaming else { return .rows(try execution.rows().map { (0, $0) }) }
        var batches: [RowBatch] = []
        var count = 0
        do throws(StoreError) {
            try execution.forEachBatch { batch in
                batches.append(batch)
                count += batch.count
                onProgress(count)
                return true
            }
        } catch {
            guard error.code == .damagedValue, makesFaults else { throw error }
            let rest = try execution.objectIDs().dropFirst(count)
            return .batches(batches, faults: Array(rest))
        }
        return .batches(batches, faults: [])
    }

    /// Returns the rows in order, each with its sort keys.
    func orderedRows() throws(StoreError) -> (rows: [(Row, BoundSortKeys)], order: BoundSort) {
        let order: BoundSort
        do throws(FetchPredicateError) {
            order = try query.boundOrder()
        } catch {
            throw StoreError(error)
        }
        let snapshot = try snapshot()
        if let pending = pending(in: snapshot) {
            return (try keyed(pending.items(by: order), order, pending.source), order)
        }
        let rows = try QueryExecution(query, on: store, in: snapshot).rows()
        let items = rows.map { ($0, $0.objectID(in: store.model, store: store.handle)) }
        return (try keyed(items, order, SnapshotSource(store, snapshot)), order)
    }

    private func keyed<Source: EvaluationSource>(
        _ items: [BoundSort.Item], _ order: BoundSort, _ source: Source
    ) throws(StoreError) -> [(Row, BoundSortKeys)] where Source.Failure == StoreError {
        Array(zip(items.map(\.row), try order.keys(of: items, in: source)))
    }

    /// Returns the number of results.
    func count() throws(StoreError) -> Int {
        let snapshot = try snapshot()
        if let pending = pending(in: snapshot) { return try pending.items().count }
        return try QueryExecution(query, on: store, in: snapshot).count()
    }

    /// Returns the present rows of objects; rows of missing objects are left out.
    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> [ManagedObjectID: Row] {
        var rows: [ManagedObjectID: Row] = [:]
        let known = changes?.rows ?? [:]
        let asked = ids.filter { known[$0] == nil && !$0.isTemporaryID }
        for row in try snapshot().batches(for: asked).joined() {
            rows[row.objectID(in: store.model, store: store.handle)] = row
        }
        for id in ids { if let row = known[id] { rows[id] = row } }
        return rows
    }

    /// Returns the destinations of a to-many from some objects.
    func destinations(
        of relationship: Relationship, from ids: [ManagedObjectID]
    ) throws(StoreError) -> Set<ManagedObjectID> {
        let snapshot = try snapshot()
        guard let changes else {
            let stored = try snapshot.destinations(
                of: relationship.id, from: ids.filter { !$0.isTemporaryID })
            return Set(stored.joined())
        }
        let source = UnsavedSource(changes, on: store, in: snapshot)
        var found: Set<ManagedObjectID> = []
        for id in ids { found.formUnion(try source.destinations(of: relationship, from: id)) }
        return found
    }

    func snapshot() throws(StoreError) -> any StoreSnapshot {
        if query.query.cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "The query was cancelled.")
        }
        if let pinned { return pinned }
        return try store.snapshot()
    }

    private func pending(in snapshot: any StoreSnapshot) -> PendingFetch<UnsavedSource>? {
        guard let changes else { return nil }
        let wanted = Set(query.query.entities(in: store.model).map { store.model[$0].handle })
        let changed = changes.rows.filter { wanted.contains($0.key.entityHandle) }
        let keys = Set(changed.keys.map(\.key))
        return PendingFetch(
            query: query, store: store, snapshot: snapshot,
            source: UnsavedSource(changes, on: store, in: snapshot),
            changedCount: changed.count, isChanged: { keys.contains($0.key) },
            changedItems: { condition in
                changed.compactMap { id, row in
                    guard let row, condition?(row, id, store.handle) ?? true else { return nil }
                    return (row, id)
                }
            })
    }
}

extension ContextPart {
    /// Returns a query to this part's store, to be run off the owner.
    func queryOffOwner(
        _ request: ErasedFetchRequest, cancelledBy flag: CancellationFlag
    ) throws -> QueryOffOwner {
        var query = try storeQuery(request)
        query.setCancellation(flag)
        let top = topPart
        let changing = request.includesPendingChanges ? self : parentPart
        return QueryOffOwner(
            query: query, store: top.isPinned ? top.store : top.connection.store,
            pinned: top.isPinned ? try top.pinnedSnapshot() : nil,
            changes: changing.flatMap { $0.isAltered(query.query) ? UnsavedChanges(of: $0) : nil })
    }

    /// Whether unsaved changes here or in an ancestor can affect the result of a query.
    private func isAltered(_ query: StoreQuery) -> Bool {
        hasOwnChanges && mayAlter(query) || parentPart?.isAltered(query) == true
    }
}
