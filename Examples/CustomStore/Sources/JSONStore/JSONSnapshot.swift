import DuramenModel
import DuramenQuery
import DuramenStore

/// One unchanging state of a JSON store.
final class JSONSnapshot: StoreSnapshot {
    private let state: JSONState
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let counters: StoreCounters

    init(
        _ state: JSONState, model: ManagedObjectModel, store: StoreHandle, counters: StoreCounters
    ) {
        self.state = state
        self.model = model
        self.store = store
        self.counters = counters
    }

    var generation: StoreGeneration { state.generation }

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        counters.noteStatement()
        return batch(ids.compactMap { state.rows[$0] }[...])
    }

    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try members(of: relationship, from: sources).map { $0.map(\.id).sorted() }
    }

    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        try members(of: relationship, from: sources).map { $0.sorted() }
    }

    private func members(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        guard model.relationships.indices.contains(relationship.index),
            model[relationship].isToMany
        else {
            throw StoreError(
                .invalidRequest,
                "Only to-many relationships of the model have lists of destinations.")
        }
        counters.noteStatement()
        // One walk answers for all sources. References may lead to rows that are gone, either way.
        var found: [ManagedObjectID: [OrderedDestination]] = [:]
        forEachMember(of: model[relationship]) { pair, order in
            if state.rows[pair.destination] == nil { return }
            found[pair.source, default: []].append(
                OrderedDestination(pair.destination, order: order))
        }
        return sources.map { state.rows[$0] == nil ? [] : found[$0, default: []] }
    }

    /// All that a to-many says: its pairs, or what the to-ones of its destinations say.
    private func forEachMember(
        of relationship: Relationship, _ body: (JSONPair, _ order: Int64?) -> Void
    ) {
        if case .manyToMany = relationship.storage {
            let numbers = state.orders[relationship.id] ?? [:]
            let isFirst = relationship.id <= relationship.inverse
            let first = min(relationship.id, relationship.inverse)
            for pair in state.pairs[first, default: []] {
                let own = isFirst ? pair : pair.turned
                body(own, numbers[own])
                if relationship.isSelfInverse, pair != pair.turned {
                    body(pair.turned, numbers[pair.turned])
                }
            }
            return
        }
        for entity in model[relationship.destination].family {
            // Where a sub-entity keeps the to-one is for the sub-entity to say.
            guard let toOne = model[entity].relationship(relationship.inverse) else { continue }
            for row in rows(of: [entity]) {
                guard let owner = row.destination(of: toOne, in: model, store: store) else {
                    continue
                }
                let order = toOne.orderSlot.flatMap { row.isNull($0) ? nil : row.integer($0) }
                body(
                    JSONPair(
                        source: owner, destination: row.objectID(in: model, store: store)), order)
            }
        }
    }

    // MARK: - Queries

    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        let rows = try results(query.query)
        return JSONCursor(rows, query.query.cancellation) { [self] in batch($0) }
    }

    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        try results(query.query).map { $0.objectID(in: model, store: store) }
    }

    func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        try results(query.query).count
    }

    /// The results of what `JSONStore.pushdown(for:)` accepts: rows of an entity in the order of
    /// their keys, and a window of them.
    private func results(_ query: StoreQuery) throws(StoreError) -> ArraySlice<Row> {
        guard query.predicate == nil, query.sortDescriptors.isEmpty, query.offset >= 0,
            query.limit ?? 0 >= 0, model.entities.indices.contains(query.entity.index)
        else {
            throw StoreError(
                .invalidRequest,
                "A JSON store answers only what its pushdown accepted: no condition, no order.")
        }
        if query.cancellation?.isCancelled == true { throw .queryCancelled }
        counters.noteStatement()
        let family = query.includesSubentities ? model[query.entity].family : [query.entity]
        let rows = rows(of: family).sorted { $0.key < $1.key }.dropFirst(query.offset)
        return query.limit.map { rows.prefix($0) } ?? rows
    }

    private func rows(of entities: [EntityID]) -> [Row] {
        let entities = Set(entities)
        return state.rows.values.filter { entities.contains($0.entityID) }
    }

    /// Copies rows into one block to hand out, which then lives as long as its objects.
    private func batch(_ rows: ArraySlice<Row>) -> RowBatch {
        counters.noteRows(rows.count)
        var builder = RowBatchBuilder(capacity: rows.count * 128)
        for row in rows {
            builder.append(row, layout: model[row.entityID].layout, version: row.version)
        }
        return builder.finish()
    }
}

/// Rows on their way, in order.
private final class JSONCursor: StoreCursor {
    private var rest: ArraySlice<Row>
    private let cancellation: CancellationFlag?
    private let batch: (ArraySlice<Row>) -> RowBatch

    init(
        _ rows: ArraySlice<Row>, _ cancellation: CancellationFlag?,
        batch: @escaping (ArraySlice<Row>) -> RowBatch
    ) {
        rest = rows
        self.cancellation = cancellation
        self.batch = batch
    }

    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        if cancellation?.isCancelled == true { throw .queryCancelled }
        let rows = rest.prefix(max(maximumRows, 1))
        rest = rest.dropFirst(rows.count)
        return rows.isEmpty ? nil : batch(rows)
    }
}

extension StoreError {
    fileprivate static var queryCancelled: StoreError {
        StoreError(.cancelled, "The query was cancelled.")
    }
}
