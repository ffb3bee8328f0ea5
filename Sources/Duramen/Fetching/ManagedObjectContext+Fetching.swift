public import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Fetches objects. Unsaved changes take part, and offset and limit count them exactly.
    ///
    /// - Parameter isolation: The owner of the context, filled in by the compiler.
    /// - Throws: ``ContextError`` for an unknown entity, or the store's error; `.invalidRequest` when
    ///   the predicate or the order does not fit the entity.
    public func fetch<Object: ManagedObject>(
        _ request: FetchRequest<Object>, isolation: (any Actor)? = #isolation
    ) throws -> [Object] {
        adoptOwner(isolation)
        let query = try storeQuery(request)
        let (pending, snapshot) = try beginFetch(request, query)
        var objects: [Object] = []
        if let pending {
            for item in try pending.items(query) {
                guard let object = registeredObject(for: item.id) ?? storedObject(item.row) else {
                    continue
                }
                objects.append(try typed(object))
            }
            return objects
        }
        let execution = try QueryExecution(query, on: store, in: snapshot)
        if execution.isStreaming {
            var last: RowStorage?
            var failure: (any Error)?
            try execution.forEachBatch { batch in
                link(batch.storage, after: last)
                last = batch.storage
                do {
                    try register(batch, request.shouldRefreshRefetchedObjects, into: &objects)
                } catch {
                    failure = error
                }
                return failure == nil
            }
            if let failure { throw failure }
        } else {
            for row in try execution.rows() {
                objects.append(
                    try typed(register(row, refreshing: request.shouldRefreshRefetchedObjects)))
            }
        }
        return objects
    }

    /// Fetches the IDs of objects, in order. Unsaved new objects have temporary IDs.
    public func fetchObjectIDs<Object: ManagedObject>(
        _ request: FetchRequest<Object>, isolation: (any Actor)? = #isolation
    ) throws -> [ManagedObjectID] {
        adoptOwner(isolation)
        let query = try storeQuery(request)
        let (pending, snapshot) = try beginFetch(request, query)
        if let pending { return try pending.items(query).map(\.id) }
        return try QueryExecution(query, on: store, in: snapshot).objectIDs()
    }

    /// Counts objects. Unsaved changes take part.
    public func count<Object: ManagedObject>(
        for request: FetchRequest<Object>, isolation: (any Actor)? = #isolation
    ) throws -> Int {
        adoptOwner(isolation)
        let query = try storeQuery(request)
        let (pending, snapshot) = try beginFetch(request, query)
        if let pending { return try pending.items(query).count }
        return try QueryExecution(query, on: store, in: snapshot).count()
    }

    /// Applies what is pending and takes the newest state. The first result is nil when no unsaved
    /// change can matter.
    private func beginFetch<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ query: StoreQuery
    ) throws -> (PendingFetch?, any StoreSnapshot) {
        applyDeleteRules()
        snapshot = nil
        let current = try currentSnapshot()
        guard request.includesPendingChanges, hasChanges else { return (nil, current) }
        let fetch = PendingFetch(context: self, snapshot: current)
        return (fetch.matters(to: query) ? fetch : nil, current)
    }

    private func storeQuery<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws -> StoreQuery {
        guard request.fetchOffset >= 0, request.fetchLimit ?? 0 >= 0 else {
            throw ContextError(
                .invalidRequest, "A fetch request has a negative offset or limit; give 0 or more.")
        }
        return StoreQuery(
            entity: try entity(of: request).id, includesSubentities: request.includesSubentities,
            predicate: request.predicate, sortDescriptors: request.sortDescriptors,
            offset: request.fetchOffset, limit: request.fetchLimit,
            cancellation: request.cancellation)
    }

    private func entity<Object: ManagedObject>(of request: FetchRequest<Object>) throws -> Entity {
        if let name = request.entityName {
            if let entity = model.entity(named: name) { return entity }
            throw ContextError(
                .unknownName, "The model has no entity '\(name)'. Correct the fetch request.")
        }
        if let plan = plans.first(where: { $0.objectClass == Object.self }),
            Object.self != ManagedObject.self {
            return plan.entity
        }
        throw ContextError(
            .unknownName,
            "The model has no entity of class \(Object.self). Add the class to the model, or name the "
                + "entity with FetchRequest(entityName:).")
    }

    // MARK: - Rows to objects

    private func link(_ block: RowStorage, after last: RowStorage?) {
        guard let last else { return }
        last.next = block
        linkedBlocks.append(last)
    }

    private func register<Object: ManagedObject>(
        _ batch: RowBatch, _ refreshes: Bool, into objects: inout [Object]
    ) throws {
        let storage = batch.storage
        var plan = plans[query(batch)]
        var isExactClass = plan.objectClass == Object.self
        try storage.forEachRow { words throws in
            let entity = Row.entityIndex(words)
            if entity != plan.entity.id.index {
                plan = plans[entity]
                isExactClass = plan.objectClass == Object.self
            }
            let key = Row.key(words)
            if let known = plan.table.find(key) {
                let row = Row(storage, unsafeWords: words)
                objects.append(try typed(register(row, refreshing: refreshes, known)))
                return
            }
            let object = plan.objectClass.init(
                ManagedObjectRegistration(
                    plan: plan, key: key, storage: storage, words: words, flags: []))
            plan.table.insert(object, key: key)
            // Sound: the object was just made by that very class.
            objects.append(
                isExactClass ? unsafeDowncast(object, to: Object.self) : try typed(object))
        }
    }

    private func query(_ batch: RowBatch) -> Int { batch.first?.entityID.index ?? 0 }

    private func register(_ row: Row, refreshing: Bool) -> ManagedObject {
        guard let known = plans[row.entityID.index].table.find(row.key) else { return register(row) }
        return register(row, refreshing: refreshing, known)
    }

    /// A stored row meets an object that the context knows.
    private func register(
        _ row: Row, refreshing: Bool, _ known: ManagedObject
    ) -> ManagedObject {
        let takesOver = known.words == nil || (refreshing && !known.hasChanges)
        if takesOver, !known.flags.contains(.gone) {
            known.realize(
                storage: row.storage, words: UnsafeMutableRawPointer(mutating: row.unsafeWords))
        }
        return known
    }

    private func storedObject(_ row: Row?) -> ManagedObject? { row.map { register($0) } }

    @inline(__always)
    private func typed<Object: ManagedObject>(_ object: ManagedObject) throws -> Object {
        if let typed = object as? Object { return typed }
        throw ContextError(
            .invalidRequest,
            "The fetch request asks for \(Object.self), but \(object.objectID) is of class "
                + "\(type(of: object)). Fetch the class that the model names.",
            objectID: object.objectID)
    }
}
