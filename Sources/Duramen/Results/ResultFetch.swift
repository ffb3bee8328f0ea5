import DuramenModel
import DuramenQuery
import DuramenStore

/// A request for results without its type.
struct ErasedResultRequest {
    var request: ErasedFetchRequest
    var columns: [ResultColumn]
    var groupBy: [String] = []
    var having: FetchPredicate?
    var isDistinct = false
}

/// A fetch of results from one state of each store, without unsaved changes.
struct ResultFetch: Sendable {
    /// A store to query.
    struct Source: Sendable {
        let store: any PersistentStore
        /// The state that a context is pinned to; nil for the newest state.
        let pinned: (any StoreSnapshot)?

        func snapshot() throws(StoreError) -> any StoreSnapshot {
            if let pinned { return pinned }
            return try store.snapshot()
        }
    }

    private let sources: [Source]
    private let model: ManagedObjectModel
    private let entity: Entity
    /// The query in the model of all stores.
    private let query: ResultQuery

    /// Creates a fetch.
    ///
    /// - Parameters:
    ///   - result: The request.
    ///   - entity: The entity in `model`.
    ///   - model: The container's model.
    ///   - sources: The stores to query, which contain the entity.
    ///   - flag: Cancels the fetch when raised.
    init(
        _ result: ErasedResultRequest, of entity: Entity, in model: ManagedObjectModel,
        sources: [Source], cancelledBy flag: CancellationFlag?
    ) throws {
        try result.request.checkWindow()
        let rows = result.request.query
        self.sources = sources
        self.model = model
        self.entity = entity
        let attributes = entity.attributes.map { ResultColumn($0.name, .keyPath([$0.name])) }
        query = ResultQuery(
            entity: entity.id, includesSubentities: rows.includesSubentities,
            predicate: rows.predicate,
            columns: result.columns.isEmpty ? attributes : result.columns,
            groupBy: result.groupBy.map(\.keyPathNames), having: result.having,
            isDistinct: result.isDistinct, sortDescriptors: rows.sortDescriptors,
            offset: rows.offset, limit: rows.limit, cancellation: flag ?? rows.cancellation)
    }

    var columns: FetchedColumns { FetchedColumns(query.columns.map(\.name)) }

    /// Returns the combined results of all stores.
    func results() throws(StoreError) -> [[StoredValue]] {
        if sources.isEmpty { return try ResultExecution.resultsOfNothing(query, in: model) }
        var parts: [(ResultQuery, any PersistentStore, any StoreSnapshot)] = []
        for source in sources {
            var own = query
            // A store with a configuration has its own model.
            own.entity = source.store.model.entity(for: entity.handle)?.id ?? entity.id
            parts.append((own, source.store, try source.snapshot()))
        }
        return try ResultExecution(parts).results()
    }

    func dictionaries() throws(StoreError) -> [FetchedDictionary] {
        let columns = columns
        return try results().map { FetchedDictionary(columns, $0) }
    }
}

extension ErasedResultRequest {
    init<Object>(_ request: DictionaryFetchRequest<Object>) {
        self.init(
            request: ErasedFetchRequest(request.request), columns: request.propertiesToFetch,
            groupBy: request.propertiesToGroupBy, having: request.havingPredicate,
            isDistinct: request.returnsDistinctResults)
    }

    /// Returns the fetch from the newest state of each store of a container.
    func fetch(
        from coordinator: PersistentStoreCoordinator, cancelledBy flag: CancellationFlag? = nil
    ) throws -> ResultFetch {
        let model = coordinator.managedObjectModel
        let entity = try request.entity(in: model)
        let sources = coordinator.connections.filter { connection in
            connection.model.entity(for: entity.handle) != nil
                && request.affectedStores?.contains(connection.handle) != false
        }
        return try ResultFetch(
            self, of: entity, in: model,
            sources: sources.map { ResultFetch.Source(store: $0.store, pinned: nil) },
            cancelledBy: flag)
    }
}

extension ManagedObjectContext {
    /// Returns the fetch from the states that the context reads; in a child, those of the context
    /// at the top.
    func resultFetch(
        _ result: ErasedResultRequest, cancelledBy flag: CancellationFlag? = nil
    ) throws -> ResultFetch {
        let model = persistentStoreCoordinator.managedObjectModel
        let entity = try result.request.entity(in: model)
        var sources: [ResultFetch.Source] = []
        for part in openParts
        where part.reading.generation.isRead && part.model.entity(for: entity.handle) != nil {
            if result.request.affectedStores?.contains(part.handle.store) == false { continue }
            let top = part.topPart
            part.countRoundTrip(RoundTrip(.fetch, entity.name))
            sources.append(
                ResultFetch.Source(
                    store: top.isPinned ? top.store : top.connection.store,
                    pinned: top.isPinned ? try top.pinnedSnapshot() : nil))
        }
        return try ResultFetch(
            current(result), of: entity, in: model, sources: sources, cancelledBy: flag)
    }
}

extension ManagedObjectContext {
    private func current(_ result: ErasedResultRequest) -> ErasedResultRequest {
        var copy = result
        copy.request.query.predicate = current(result.request.query.predicate)
        copy.having = current(result.having)
        copy.columns = result.columns.map { ResultColumn($0.name, current($0.expression)) }
        return copy
    }
}
