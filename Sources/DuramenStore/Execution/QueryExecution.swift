public import DuramenModel
public import DuramenQuery

/// The answer to a query: what the store answers itself, and then what is left.
///
/// ```
///   query ──pushdown──► store: cursor ──► residual ──► sort ──► window ──► rows, IDs or a count
/// ```
/// Whatever a store leaves, the answer is the same. Nothing is read before it is asked for. A
/// predicate or an order that does not fit the entity is left by every store, and refused here.
public struct QueryExecution: Sendable {
    /// The part of the query that the store answers, and the part that is left.
    public let pushdown: Pushdown

    private let query: StoreQuery
    private let store: any PersistentStore
    let snapshot: any StoreSnapshot
    private let residual: BoundPredicate?
    private let order: BoundSort?

    /// Splits a query between a store and the core.
    ///
    /// - Throws: ``StoreError`` `.invalidRequest` when the query does not fit the store's model.
    public init(
        _ query: StoreQuery, on store: any PersistentStore, in snapshot: any StoreSnapshot
    ) throws(StoreError) {
        try query.check(in: store.model)
        let lowered: LoweredQuery
        do throws(FetchPredicateError) {
            lowered = try LoweredQuery(query, in: store.model)
        } catch {
            throw StoreError(error)
        }
        try self.init(lowered, on: store, in: snapshot)
    }

    /// Splits a lowered query of the store's model between the store and the core.
    ///
    /// - Throws: As the other initializer does.
    package init(
        _ query: LoweredQuery, on store: any PersistentStore, in snapshot: any StoreSnapshot
    ) throws(StoreError) {
        try query.query.check(in: store.model)
        self.store = store
        self.snapshot = snapshot
        var query = query
        // A context in the place of a store has derived values of the last save.
        if store.capabilities.contains(.derivedAttributes) { query.orderByKeys() }
        self.query = query.query
        pushdown = store.pushdown(for: query.query)
        let entity = store.model[query.query.entity]
        do throws(FetchPredicateError) {
            residual = try pushdown.residual?.boundAsLowered(to: entity, in: store.model)
            order = pushdown.needsSorting ? try query.boundOrder() : nil
        } catch {
            throw StoreError(error)
        }
    }

    /// Whether the store answers the whole query, so that rows can be used as they come.
    public var isStreaming: Bool {
        residual == nil && !pushdown.needsSorting && !pushdown.needsWindow
    }

    /// The results in order.
    ///
    /// - Throws: ``StoreError``, `.cancelled` when the query's flag was raised.
    public func rows() throws(StoreError) -> [Row] {
        if isStreaming {
            var rows: [Row] = []
            try forEachBatch { batch in
                rows.append(contentsOf: batch)
                return true
            }
            return rows
        }
        let source = SnapshotSource(store, snapshot)
        let rows = try matches(source, atMost: order == nil ? windowEnd : nil)
        guard let order else { return window(rows) }
        try stopIfCancelled()
        var items = rows.map { (row: $0, id: source.id(of: $0)) }
        try order.sort(&items, in: source)
        return window(items.map(\.row))
    }

    /// The IDs of the results, in order.
    public func objectIDs() throws(StoreError) -> [ManagedObjectID] {
        try stopIfCancelled()
        if isStreaming { return try snapshot.objectIDs(pushdown.prepared) }
        return try rows().map { $0.objectID(in: store.model, store: store.handle) }
    }

    /// The number of results. Nothing is sorted for it.
    public func count() throws(StoreError) -> Int {
        try stopIfCancelled()
        if isStreaming { return try snapshot.count(pushdown.prepared) }
        if residual == nil {
            let all = try snapshot.count(pushdown.prepared)
            return pushdown.needsWindow ? window(all) : all
        }
        let all = try matches(SnapshotSource(store, snapshot), atMost: windowEnd).count
        return window(all)
    }

    /// Hands on the batches of a query that the store answers whole, as they come.
    ///
    /// - Parameter body: Takes a batch; false ends the walk.
    public func forEachBatch(
        maximumRows: Int = 512, _ body: (RowBatch) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try stopIfCancelled()
        let cursor = try snapshot.cursor(pushdown.prepared)
        while let batch = try cursor.next(maximumRows: maximumRows) {
            try stopIfCancelled()
            if try !body(batch) { return }
        }
    }

    /// Returns which parts of the query the store and the library would answer, without running it.
    ///
    /// - Throws: ``StoreError``; never for the reason that the snapshot does not explain itself.
    public func explanation() throws(StoreError) -> QueryExplanation {
        let explaining = snapshot as? any ExplainingSnapshot
        return try QueryExplanation(
            storeType: store.metadata().storeType, query: query, pushdown: pushdown,
            in: store.model, steps: explaining?.steps(of: pushdown.prepared) ?? [])
    }

    // MARK: - What is left

    /// Hands on the rows that fulfil the query one by one, in the store's order, before they are
    /// sorted.
    ///
    /// - Parameters:
    ///   - source: Where related rows are read.
    ///   - body: Takes a row; false ends the walk.
    func forEachMatch(
        in source: SnapshotSource, _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try forEachBatch { batch throws(StoreError) in
            for row in batch {
                if let residual {
                    let id = source.id(of: row)
                    if try !residual.evaluate(row, id: id, in: source) { continue }
                }
                if try !body(row) { return false }
            }
            return true
        }
    }

    /// The rows that fulfil the residual, in the store's order.
    private func matches(
        _ source: SnapshotSource, atMost limit: Int?
    ) throws(StoreError) -> [Row] {
        var rows: [Row] = []
        if limit == 0 { return rows }
        try forEachMatch(in: source) { row throws(StoreError) in
            rows.append(row)
            return rows.count != limit
        }
        return rows
    }

    /// The place after the last result that matters; nil when all do.
    private var windowEnd: Int? {
        guard pushdown.needsWindow, let limit = query.limit else { return nil }
        let (end, isTooLarge) = query.offset.addingReportingOverflow(limit)
        return isTooLarge ? nil : end
    }

    private func window(_ rows: [Row]) -> [Row] {
        if !pushdown.needsWindow { return rows }
        let rest = rows.dropFirst(query.offset)
        return Array(query.limit.map { rest.prefix($0) } ?? rest)
    }

    private func window(_ count: Int) -> Int {
        if !pushdown.needsWindow { return count }
        let rest = max(0, count - query.offset)
        return query.limit.map { min($0, rest) } ?? rest
    }

    private func stopIfCancelled() throws(StoreError) {
        if query.cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "The query was cancelled.")
        }
    }
}

extension StoreQuery {
    /// - Throws: ``StoreError`` `.invalidRequest` when the entity is not the model's, or for a
    ///   window that cannot be.
    func check(in model: ManagedObjectModel) throws(StoreError) {
        guard model.entities.indices.contains(entity.index) else {
            throw StoreError(.invalidRequest, "The query's entity is not in the store's model.")
        }
        if offset < 0 || limit ?? 0 < 0 {
            throw StoreError(
                .invalidRequest, "A query's offset and limit must not be negative; use nil for all."
            )
        }
    }
}

extension StoreError {
    /// The same message, as what a store or the core says about a request.
    public init(_ error: FetchPredicateError) {
        self.init(
            .invalidRequest, "\(error.entity): \(error.message)", detail: error.code.rawValue)
    }
}

extension StoreSnapshot {
    /// None.
    public func unenforcedConstraints() throws(StoreError) -> Set<UniquenessConstraint> { [] }

    /// Nobody knows.
    public var isNewest: Bool { false }

    /// Moves the row of ``row(for:)``.
    public func row(for id: ManagedObjectID, in pool: RowPool) throws(StoreError) -> Row? {
        guard let row = try row(for: id) else { return nil }
        return pool.share(row)
    }

    /// Reads the row as a batch of one.
    public func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        try rows(for: [id]).first
    }

    /// Counts the rows of the cursor.
    public func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        let cursor = try cursor(query)
        var count = 0
        while let batch = try cursor.next(maximumRows: 512) { count += batch.count }
        return count
    }

    /// Answers a query that the store takes whole and has prepared nothing for.
    public func cursor(_ query: StoreQuery) throws(StoreError) -> any StoreCursor {
        try cursor(PreparedQuery(query))
    }

    /// The IDs of a query that the store takes whole and has prepared nothing for.
    public func objectIDs(_ query: StoreQuery) throws(StoreError) -> [ManagedObjectID] {
        try objectIDs(PreparedQuery(query))
    }

    /// The number of results of a query that the store takes whole and has prepared nothing for.
    public func count(_ query: StoreQuery) throws(StoreError) -> Int {
        try count(PreparedQuery(query))
    }
}
