public import DuramenModel
public import DuramenQuery
public import DuramenStore

/// An unchanging state of a memory store.
public final class MemorySnapshot: StoreSnapshot {
    private let source: MemorySource
    private let counters: StoreCounters
    private let database: MemoryDatabase

    init(
        _ state: MemoryState, model: ManagedObjectModel, store: StoreHandle,
        counters: StoreCounters, database: MemoryDatabase
    ) {
        self.database = database
        source = MemorySource(state, model: model, store: store)
        self.counters = counters
    }

    /// The number of this state.
    public var generation: StoreGeneration { StoreGeneration(rawValue: source.state.generation) }

    /// Whether nothing was saved since.
    public var isNewest: Bool { database.state.generation == source.state.generation }

    private var model: ManagedObjectModel { source.model }

    /// Returns rows by ID, in the order of the request, without unknown IDs.
    public func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        counters.noteStatement()
        let rows = ids.compactMap(source.row(for:))
        counters.noteRows(rows.count)
        var copies = RowCopies(model: model, capacity: rows.count)
        let limit = RowAnswerLimit.bytes
        for row in rows {
            copies.append(row)
            try copies.check(limit: limit)
        }
        return copies.finish()
    }

    /// Returns the destinations of to-many relationships, one list per source, each ascending.
    public func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        let relationship = try toMany(relationship)
        return sources.map { source.destinations(of: relationship, from: $0) }
    }

    /// Returns the destinations of ordered to-many relationships, one list per source, each in its
    /// order.
    public func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        let relationship = try toMany(relationship)
        return sources.map { id in
            source.rows(of: relationship, from: id).map { row in
                OrderedDestination(
                    source.id(of: row),
                    order: source.state.order(of: row, in: relationship, from: id.key, model))
            }.sorted()
        }
    }

    private func toMany(_ id: RelationshipID) throws(StoreError) -> Relationship {
        guard model.relationships.indices.contains(id.index), model[id].isToMany else {
            throw StoreError(
                .invalidRequest,
                "Only to-many relationships of the model have lists of destinations.")
        }
        counters.noteStatement()
        return model[id]
    }

    /// Returns the results of a query.
    public func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        MemoryCursor(try walk(query), of: query.query, model: model, counters: counters)
    }

    /// Returns the IDs of the results, in order, without copying rows.
    public func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        var walk = try walk(query)
        var ids: [ManagedObjectID] = []
        _ = try walk.next(atMost: .max) { row in
            ids.append(source.id(of: row))
            return true
        }
        return ids
    }

    /// Returns the number of results, without copying or sorting rows.
    public func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        var walk = try walk(query)
        return try walk.count()
    }

    private func walk(_ query: PreparedQuery) throws(StoreError) -> MemoryWalk {
        if query.query.cancellation?.isCancelled == true { throw .queryCancelled }
        let checked = try checked(query)
        counters.noteStatement()
        return MemoryWalk(checked, in: source)
    }

    private func checked(_ query: PreparedQuery) throws(StoreError) -> MemoryQuery {
        // A preparation of another store has another model.
        if let prepared = query.preparation as? MemoryQuery, prepared.model === model {
            return prepared
        }
        return try MemoryQuery(query.query, model: model)
    }
}

extension MemorySnapshot: ExplainingSnapshot {
    /// Describes the evaluation, which iterates over the rows by key, or looks unique values up.
    public func steps(of query: PreparedQuery) throws(StoreError) -> [String] {
        let checked = try checked(query)
        let query = query.query
        let name = model[query.entity].name
        var steps = [
            checked.unique.map { "look up the rows of \(name) by \($0.attribute.name)" }
                ?? "walk through the rows of \(name) by key"
        ]
        if let predicate = query.predicate { steps.append("keep the rows with \(predicate.shape)") }
        if checked.order != nil { steps.append("sort the rows") }
        return steps
    }
}

/// An iterator over batches of results.
final class MemoryCursor: StoreCursor {
    private var walk: MemoryWalk
    private let model: ManagedObjectModel
    private let counters: StoreCounters
    private let slots: SlotSet?
    private let cancellation: CancellationFlag?

    init(
        _ walk: MemoryWalk, of query: StoreQuery, model: ManagedObjectModel,
        counters: StoreCounters
    ) {
        self.walk = walk
        self.model = model
        self.counters = counters
        slots = query.slots
        cancellation = query.cancellation
    }

    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        if cancellation?.isCancelled == true { throw .queryCancelled }
        var copies = RowCopies(model: model, slots: slots, capacity: min(maximumRows, 512))
        let count = try walk.next(atMost: maximumRows) { row in
            copies.append(row)
            return !copies.isFull
        }
        if count == 0 { return nil }
        counters.noteRows(count)
        return copies.finish()
    }
}
