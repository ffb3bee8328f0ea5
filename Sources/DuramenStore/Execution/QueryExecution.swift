public import DuramenModel
public import DuramenQuery

/// The execution of a query: first the part that the store evaluates, then the remainder.
///
/// ```
///   query ──pushdown──► store: cursor ──► residual ──► sort ──► window ──► rows, IDs or a count
/// ```
/// The result does not depend on the store's part. Nothing is read before you request results. A
/// predicate or an order that does not fit the entity is left by every store, and rejected here.
public struct QueryExecution: Sendable {
    /// The part of the query that the store evaluates, and the remainder.
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
    /// - Throws: The errors of the initializer with a `StoreQuery`.
    package init(
        _ query: LoweredQuery, on store: any PersistentStore, in snapshot: any StoreSnapshot
    ) throws(StoreError) {
        try query.query.check(in: store.model)
        self.store = store
        self.snapshot = snapshot
        var query = query
        // A parent context in the role of a store has derived values of the last save.
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

    /// Whether the store evaluates the whole query, so that its rows are the results.
    public var isStreaming: Bool {
        residual == nil && !pushdown.needsSorting && !pushdown.needsWindow
    }

    /// Returns the results in order.
    ///
    /// - Throws: ``StoreError``; `.cancelled` when the query's flag was raised.
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

    /// Returns the IDs of the results, in order.
    public func objectIDs() throws(StoreError) -> [ManagedObjectID] {
        try stopIfCancelled()
        if isStreaming { return try snapshot.objectIDs(pushdown.prepared) }
        return try rows().map { $0.objectID(in: store.model, store: store.handle) }
    }

    /// Returns the number of results, without sorting.
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

    /// Calls `body` with each batch of a query that the store evaluates completely.
    ///
    /// - Parameters:
    ///   - maximumRows: The largest number of rows in a batch.
    ///   - body: Receives a batch; returns false to stop.
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

    /// Returns which parts of the query the store and the library would evaluate, without running
    /// it.
    ///
    /// - Throws: ``StoreError``; a snapshot that does not explain itself is not an error.
    public func explanation() throws(StoreError) -> QueryExplanation {
        let explaining = snapshot as? any ExplainingSnapshot
        return try QueryExplanation(
            storeType: store.metadata().storeType, query: query, pushdown: pushdown,
            in: store.model, steps: explaining?.steps(of: pushdown.prepared) ?? [])
    }

    // MARK: - The remainder

    /// Calls `body` with each row that matches the query, in the store's order, before sorting.
    ///
    /// - Parameters:
    ///   - source: The source of related rows.
    ///   - body: Receives a row; returns false to stop.
    func forEachMatch(
        in source: SnapshotSource, _ body: (Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try forEachBatch { batch throws(StoreError) in
            source.expect { Array(batch) }
            for (index, row) in batch.enumerated() {
                source.advance(to: index)
                if let residual {
                    let id = source.id(of: row)
                    if try !residual.evaluate(row, id: id, in: source) { continue }
                }
                if try !body(row) { return false }
            }
            return true
        }
    }

    /// The rows that match the residual, in the store's order.
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

    /// The index after the last result in the window; nil for all.
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
    /// - Throws: ``StoreError`` `.invalidRequest` when the entity is not the model's, or when
    ///   offset or limit is negative.
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
    /// Creates an `.invalidRequest` error with the message of a query error.
    public init(_ error: FetchPredicateError) {
        self.init(
            .invalidRequest, "\(error.entity): \(error.message)", detail: error.code.rawValue)
    }
}

extension StoreSnapshot {
    /// Returns an empty set: saves enforce all constraints.
    public func unenforcedConstraints() throws(StoreError) -> Set<UniquenessConstraint> { [] }

    /// Returns false: it is unknown.
    public var isNewest: Bool { false }

    /// Moves the row of ``row(for:)`` into the pool.
    public func row(for id: ManagedObjectID, in pool: RowPool) throws(StoreError) -> Row? {
        guard let row = try row(for: id) else { return nil }
        return pool.share(row)
    }

    /// Returns the row from a batch of one.
    public func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        try rows(for: [id]).first
    }

    /// Returns the number of rows of the cursor.
    public func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        let cursor = try cursor(query)
        var count = 0
        while let batch = try cursor.next(maximumRows: 512) { count += batch.count }
        return count
    }

    /// Returns the rows of a query that the store evaluates completely, without preparation.
    public func cursor(_ query: StoreQuery) throws(StoreError) -> any StoreCursor {
        try cursor(PreparedQuery(query))
    }

    /// Returns the IDs of a query that the store evaluates completely, without preparation.
    public func objectIDs(_ query: StoreQuery) throws(StoreError) -> [ManagedObjectID] {
        try objectIDs(PreparedQuery(query))
    }

    /// Returns the number of results of a query that the store evaluates completely, without
    /// preparation.
    public func count(_ query: StoreQuery) throws(StoreError) -> Int {
        try count(PreparedQuery(query))
    }
}
