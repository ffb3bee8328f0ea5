import DuramenModel
import DuramenQuery
import DuramenStore

/// One unchanging state of a dictionary store.
final class DictionarySnapshot: StoreSnapshot {
    private let state: DictionaryState
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let counters: StoreCounters

    init(_ state: DictionaryState, of store: DictionaryStore) {
        self.state = state
        self.store = store.handle
        model = store.model
        counters = store.counters
    }

    var generation: StoreGeneration { StoreGeneration(rawValue: state.generation) }

    // snippet: store.rows
    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        counters.noteStatement()
        return batch(ids.compactMap { state.rows[$0] }[...])
    }

    func batch(_ rows: ArraySlice<Row>) -> RowBatch {
        counters.noteRows(rows.count)
        var builder = RowBatchBuilder(capacity: rows.count * 128)
        for row in rows {
            builder.append(row, layout: model[row.entityID].layout, version: row.version)
        }
        return builder.finish()
    }
    // end

    // MARK: - Relationships

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
            throw StoreError(.invalidRequest, "Only to-manys have lists of destinations.")
        }
        counters.noteStatement()
        var found: [ManagedObjectID: [OrderedDestination]] = [:]
        for (pair, order) in links(of: model[relationship])
        where state.rows[pair.destination] != nil {
            found[pair.source, default: []].append(
                OrderedDestination(pair.destination, order: order))
        }
        return sources.map { state.rows[$0] == nil ? [] : found[$0, default: []] }
    }

    // snippet: store.links
    /// The links of a to-many: its pairs, or the to-ones of its destinations.
    private func links(of relationship: Relationship) -> [(DictionaryPair, Int64?)] {
        if case .manyToMany = relationship.storage { return pairs(of: relationship) }
        return rows(of: model[relationship.destination].family).compactMap { row in
            // Each sub-entity may keep the to-one in another slot.
            guard let toOne = model[row.entityID].relationship(relationship.inverse),
                let owner = row.destination(of: toOne, in: model, store: store)
            else { return nil }
            let order = toOne.orderSlot.flatMap { row.isNull($0) ? nil : row.integer($0) }
            let id = row.objectID(in: model, store: store)
            return (DictionaryPair(source: owner, destination: id), order)
        }
    }
    // end

    private func pairs(of relationship: Relationship) -> [(DictionaryPair, Int64?)] {
        let numbers = state.orders[relationship.id] ?? [:]
        let isFirst = relationship.id <= relationship.inverse
        var found: [(DictionaryPair, Int64?)] = []
        for pair in state.pairs[min(relationship.id, relationship.inverse)] ?? [] {
            let own = isFirst ? pair : pair.turned
            found.append((own, numbers[own]))
            if relationship.isSelfInverse, pair != pair.turned {
                found.append((pair.turned, numbers[pair.turned]))
            }
        }
        return found
    }

    // MARK: - Queries

    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        DictionaryCursor(try results(query.query), query.query.cancellation) { [self] in batch($0) }
    }

    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        try results(query.query).map { $0.objectID(in: model, store: store) }
    }

    func count(_ query: PreparedQuery) throws(StoreError) -> Int { try results(query.query).count }

    // snippet: store.results
    private func results(_ query: StoreQuery) throws(StoreError) -> ArraySlice<Row> {
        guard query.predicate == nil, query.sortDescriptors.isEmpty, query.offset >= 0,
            query.limit ?? 0 >= 0, model.entities.indices.contains(query.entity.index)
        else { throw StoreError(.invalidRequest, "The pushdown did not accept this query.") }
        if query.cancellation?.isCancelled == true { throw .queryCancelled }
        counters.noteStatement()
        let family = query.includesSubentities ? model[query.entity].family : [query.entity]
        let rows = rows(of: family).sorted { $0.key < $1.key }.dropFirst(query.offset)
        return query.limit.map { rows.prefix($0) } ?? rows
    }
    // end

    private func rows(of entities: [EntityID]) -> [Row] {
        let entities = Set(entities)
        return state.rows.values.filter { entities.contains($0.entityID) }
    }
}

// snippet: store.cursor
final class DictionaryCursor: StoreCursor {
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
// end

extension StoreError {
    fileprivate static var queryCancelled: StoreError {
        StoreError(.cancelled, "The query was cancelled.")
    }
}
