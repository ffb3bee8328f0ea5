public import DuramenModel
public import DuramenQuery

/// The execution of a result query: from the groups that the store computes, or else from the rows.
///
/// ```
///   query ──► AggregatingSnapshot ──nil──► rows of a QueryExecution ──► groups ──► results
/// ```
/// Either way the results come from stored data, without unsaved changes of any context.
public struct ResultExecution: Sendable {
    /// The part of one store.
    struct Part: Sendable {
        let query: BoundResultQuery
        let store: any PersistentStore
        let snapshot: any StoreSnapshot
        let rows: QueryExecution
    }

    private let parts: [Part]

    /// Checks a query against a store's model.
    ///
    /// - Throws: ``StoreError`` `.invalidRequest` when the query does not fit. Its `detail` is the
    ///   code of the ``FetchPredicateError``.
    public init(
        _ query: ResultQuery, on store: any PersistentStore, in snapshot: any StoreSnapshot
    ) throws(StoreError) {
        try self.init([(query, store, snapshot)])
    }

    /// Checks a query against several stores, whose rows form groups together.
    ///
    /// - Parameter parts: By store, the query in terms of the store's model.
    package init(
        _ parts: [(ResultQuery, any PersistentStore, any StoreSnapshot)]
    ) throws(StoreError) {
        var checked: [Part] = []
        for (query, store, snapshot) in parts {
            checked.append(try Self.part(query, store, snapshot))
        }
        self.parts = checked
    }

    private static func part(
        _ query: ResultQuery, _ store: any PersistentStore, _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> Part {
        var window = query.rows
        window.offset = query.offset
        window.limit = query.limit
        try window.check(in: store.model)
        let bound: BoundResultQuery
        do throws(FetchPredicateError) {
            bound = try query.bound(to: store.model[query.entity], in: store.model)
        } catch {
            throw StoreError(error)
        }
        var rows = bound.query.rows
        rows.slots = bound.slots
        rows.needsVersions = false
        return Part(
            query: bound, store: store, snapshot: snapshot,
            rows: try QueryExecution(rows, on: store, in: snapshot))
    }

    /// Returns the results if no store has the entity of the query.
    package static func resultsOfNothing(
        _ query: ResultQuery, in model: ManagedObjectModel
    ) throws(StoreError) -> [[StoredValue]] {
        do throws(FetchPredicateError) {
            let bound = try query.bound(to: model[query.entity], in: model)
            return ResultAccumulator(bound, isOrdered: true).results()
        } catch {
            throw StoreError(error)
        }
    }

    /// Returns the results in order, each with a value for each column.
    ///
    /// - Throws: ``StoreError``; `.cancelled` when the query's flag was raised.
    /// - Complexity: Reads the rows once. Needs the memory of the groups, as ``ResultQuery``
    ///   describes, or of all ungrouped results, at most twice the limit.
    public func results() throws(StoreError) -> [[StoredValue]] {
        guard let first = parts.first else { return [] }
        var accumulator = ResultAccumulator(
            first.query, isOrdered: parts.count == 1 && !first.rows.pushdown.needsSorting)
        if parts.count == 1, let groups = try first.groups() {
            for group in groups { accumulator.add(group) }
            return accumulator.results()
        }
        for part in parts { try part.add(to: &accumulator) }
        return accumulator.results()
    }
}

extension ResultExecution.Part {
    /// The groups that the store computes; nil if it does not.
    fileprivate func groups() throws(StoreError) -> [GroupValues]? {
        guard query.isGrouped, !query.readsCountOnly, rows.isStreaming,
            let snapshot = snapshot as? any AggregatingSnapshot
        else { return nil }
        return try snapshot.groups(of: query.groups(of: rows.pushdown.pushed))
    }

    fileprivate func add(to accumulator: inout ResultAccumulator) throws(StoreError) {
        if query.readsCountOnly { return accumulator.add(rows: try rows.count()) }
        let source = SnapshotSource(store, snapshot)
        try rows.forEachMatch(in: source) { row throws(StoreError) in
            accumulator.add(try query.record(of: row, id: source.id(of: row), in: source))
        }
    }
}
