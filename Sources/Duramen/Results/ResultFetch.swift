import DuramenModel
import DuramenQuery
import DuramenStore

/// What a fetch of results asks for, without its type.
struct ErasedResultRequest {
    var request: ErasedFetchRequest
    var columns: [ResultColumn]
    var groupBy: [String] = []
    var having: FetchPredicate?
    var isDistinct = false
}

/// A fetch of results from one state of each store. Unsaved changes take no part.
struct ResultFetch: Sendable {
    /// One store that is asked.
    struct Source: Sendable {
        let store: any PersistentStore
        /// The state that a context is pinned to; nil for the newest one.
        let pinned: (any StoreSnapshot)?

        func snapshot() throws(StoreError) -> any StoreSnapshot {
            if let pinned { return pinned }
            return try store.snapshot()
        }
    }

    private let sources: [Source]
    private let model: ManagedObjectModel
    private let entity: Entity
    /// The query as the model of all stores has it.
    private let query: ResultQuery

    /// - Parameters:
    ///   - sources: The stores to ask that keep the entity.
    ///   - entity: Of `model`, that of the container.
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

    /// The results of all stores together.
    func results() throws(StoreError) -> [[StoredValue]] {
        if sources.isEmpty { return try ResultExecution.resultsOfNothing(query, in: model) }
        var parts: [(ResultQuery, any PersistentStore, any StoreSnapshot)] = []
        for source in sources {
            var own = query
            // A store of a configuration has a model of its own.
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

    /// The fetch from the newest state of each store of a container.
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
    /// The fetch from the states that the context reads, further up where it is a child.
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
