public import DuramenModel
public import DuramenQuery

/// Answers a query over a snapshot: the store does what it accepts, the evaluator does the rest.
public struct QueryExecution {
    /// What the store does, and what is left.
    public let pushdown: Pushdown
    private let query: StoreQuery
    private let store: any PersistentStore
    private let snapshot: any StoreSnapshot
    private let residual: BoundPredicate?
    private let order: BoundSort?

    private static let batchRows = 512

    /// Checks a query and splits it.
    ///
    /// - Throws: `.invalidRequest` when the predicate or the order does not fit the entity.
    public init(
        _ query: StoreQuery, on store: any PersistentStore, snapshot: any StoreSnapshot
    ) throws(StoreError) {
        self.query = query
        self.store = store
        self.snapshot = snapshot
        let entity = store.model[query.entity]
        do throws(PredicateError) {
            // Bound whole, so that a query is refused alike whatever the store accepts of it.
            _ = try query.predicate?.bound(to: entity, in: store.model)
            let bound = try query.sortDescriptors.bound(to: entity, in: store.model)
            let split = store.pushdown(for: query)
            residual = try split.residual?.bound(to: entity, in: store.model)
            order = split.needsSorting ? bound : nil
            pushdown = split
        } catch {
            throw StoreError(.invalidRequest, error.description)
        }
    }

    /// Whether the store answers the whole query.
    public var isPushedWhole: Bool {
        residual == nil && !pushdown.needsSorting && !pushdown.needsWindow
    }

    /// Hands over the results in order, batch by batch, when the store answers the whole query.
    public func forEachBatch<E: Error>(_ body: (RowBatch) throws(E) -> Void) throws {
        let cursor = try snapshot.cursor(pushdown.pushed)
        while let batch = try next(of: cursor) { try body(batch) }
    }

    /// The results in order.
    public func rows() throws(StoreError) -> [Row] {
        var result: [Row] = []
        let source = SnapshotSource(snapshot, of: store)
        // Rows in order can stop at the end of the window.
        let enough = order == nil ? query.limit.map { $0 + query.offset } : nil
        let cursor = try snapshot.cursor(pushdown.pushed)
        while let batch = try next(of: cursor) {
            for row in batch {
                if let residual, try !residual.evaluate(row, id: id(of: row), in: source) { continue }
                result.append(row)
            }
            if let enough, pushdown.needsWindow, result.count >= enough { break }
        }
        if let order {
            var items = result.map { (row: $0, id: id(of: $0)) }
            try order.sort(&items, in: source)
            result = items.map(\.row)
        }
        return pushdown.needsWindow ? window(result) : result
    }

    /// The IDs of the results, in order.
    public func objectIDs() throws(StoreError) -> [ManagedObjectID] {
        if isPushedWhole { return try snapshot.objectIDs(pushdown.pushed) }
        return try rows().map { id(of: $0) }
    }

    /// The number of results.
    public func count() throws(StoreError) -> Int {
        if residual == nil {
            var unordered = pushdown.pushed
            unordered.sortDescriptors = []
            let count = try snapshot.count(unordered)
            return pushdown.needsWindow ? windowCount(count) : count
        }
        return try rows().count
    }

    private func next(of cursor: any StoreCursor) throws(StoreError) -> RowBatch? {
        if query.cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "The query was cancelled; nothing was changed.")
        }
        return try cursor.next(maximumRows: Self.batchRows)
    }

    private func id(of row: Row) -> ManagedObjectID {
        row.objectID(in: store.model, store: store.handle)
    }

    private func window(_ rows: [Row]) -> [Row] {
        let rest = rows.dropFirst(query.offset)
        return Array(query.limit.map { rest.prefix($0) } ?? rest)
    }

    private func windowCount(_ count: Int) -> Int {
        let rest = max(0, count - query.offset)
        return min(rest, query.limit ?? rest)
    }
}

extension StoreSnapshot {
    /// Counts by walking over the rows.
    public func count(_ query: StoreQuery) throws(StoreError) -> Int {
        var count = 0
        let cursor = try cursor(query)
        while let batch = try cursor.next(maximumRows: 512) { count += batch.count }
        return count
    }
}
