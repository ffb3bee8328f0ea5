public import DuramenModel
public import DuramenQuery
public import DuramenStore
import HashTreeCollections

/// One unchanging state of a memory store.
public final class MemorySnapshot: StoreSnapshot {
    private let state: MemoryState
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let counters: StoreCounters

    init(
        _ state: MemoryState, model: ManagedObjectModel, store: StoreHandle, counters: StoreCounters
    ) {
        self.state = state
        self.model = model
        self.store = store
        self.counters = counters
    }

    /// Which state this is.
    public var generation: StoreGeneration { StoreGeneration(rawValue: state.generation) }

    /// Reads rows by ID, in the order of the request, unknown IDs left out.
    public func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        counters.noteStatement()
        let rows = ids.compactMap { id in id.store == store ? state.row(for: id, in: model) : nil }
        counters.noteRows(rows.count)
        return .rows(rows, model: model)
    }

    /// Reads what to-manys lead to, one list per source, each ascending.
    public func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        let relationship = try toMany(relationship)
        return sources.map { source in
            rows(of: relationship, from: source).map { $0.objectID(in: model, store: store) }
        }
    }

    /// Reads what ordered to-manys lead to, one list per source, each in its order.
    public func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        let relationship = try toMany(relationship)
        return sources.map { source in
            rows(of: relationship, from: source).map { row in
                OrderedDestination(
                    row.objectID(in: model, store: store),
                    order: state.order(of: row, in: relationship, from: source.key, model))
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

    private func rows(of relationship: Relationship, from source: ManagedObjectID) -> [Row] {
        guard source.store == store, let row = state.row(for: source, in: model),
            model[row.entityID].isKind(of: model[relationship.declaringEntity])
        else { return [] }
        return state.destinationRows(of: relationship, from: source.key, in: model)
    }

    /// Walks through the rows of the asked entities by key.
    public func cursor(_ query: StoreQuery) throws(StoreError) -> any StoreCursor {
        MemoryCursor(
            try keys(query), in: table(query), model: model, counters: counters,
            slots: query.slots, cancellation: query.cancellation)
    }

    /// The IDs of the asked entities' objects, by key.
    public func objectIDs(_ query: StoreQuery) throws(StoreError) -> [ManagedObjectID] {
        let keys = try keys(query)
        let table = table(query)
        return keys.compactMap { table[$0]?.objectID(in: model, store: store) }
    }

    /// The number of the asked entities' objects.
    public func count(_ query: StoreQuery) throws(StoreError) -> Int { try keys(query).count }

    private func keys(_ query: StoreQuery) throws(StoreError) -> ArraySlice<Int64> {
        guard query.predicate == nil, query.sortDescriptors.isEmpty, query.offset >= 0,
            query.limit ?? 0 >= 0, model.entities.indices.contains(query.entity.index)
        else {
            throw StoreError(
                .invalidRequest,
                "The memory store answers only what its pushdown accepted: no condition, no order.")
        }
        if query.cancellation?.isCancelled == true { throw .queryCancelled }
        counters.noteStatement()
        let entity = model[query.entity]
        let entities = query.includesSubentities ? Set(entity.family) : [entity.id]
        let keys = state.keys(of: entities, root: entity.root).dropFirst(query.offset)
        return query.limit.map { keys.prefix($0) } ?? keys
    }

    private func table(_ query: StoreQuery) -> MemoryTable {
        state.tables[model[query.entity].root.index]
    }
}

/// Rows on their way, by key.
final class MemoryCursor: StoreCursor {
    private var keys: ArraySlice<Int64>
    private let table: MemoryTable
    private let model: ManagedObjectModel
    private let counters: StoreCounters
    private let slots: SlotSet?
    private let cancellation: CancellationFlag?

    init(
        _ keys: ArraySlice<Int64>, in table: MemoryTable, model: ManagedObjectModel,
        counters: StoreCounters, slots: SlotSet?, cancellation: CancellationFlag?
    ) {
        self.keys = keys
        self.table = table
        self.model = model
        self.counters = counters
        self.slots = slots
        self.cancellation = cancellation
    }

    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        if cancellation?.isCancelled == true { throw .queryCancelled }
        if keys.isEmpty { return nil }
        let rows = keys.prefix(max(maximumRows, 1)).compactMap { table[$0] }
        keys = keys.dropFirst(rows.count)
        counters.noteRows(rows.count)
        return .rows(rows, model: model, slots: slots)
    }
}

extension StoreError {
    static var queryCancelled: StoreError {
        StoreError(.cancelled, "The query was cancelled.")
    }
}
