public import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Fetches objects, unsaved changes included. Offset and limit apply to the final list.
    ///
    /// - Parameters:
    ///   - request: The objects to fetch.
    ///   - isolation: The isolation that the call runs in; leave it out.
    /// - Throws: ``ContextError`` for an unknown entity, or the store's error; `.invalidRequest` if
    ///   the predicate or the order does not match the entity.
    @inlinable
    public func fetch<Object: ManagedObject>(
        _ request: FetchRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) throws -> [Object] {
        var result: [Object] = []
        try fetch(ErasedFetchRequest(request), isolation) { object in
            // Sound: the class of each object was checked.
            result.append(object.taken(as: Object.self))
        }
        return result
    }

    /// Fetches the IDs of objects, in order. Unsaved new objects have temporary IDs.
    public func fetchObjectIDs<Object: ManagedObject>(
        _ request: FetchRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) throws -> [ManagedObjectID] {
        enter(isolation)
        noticeStores()
        return try objectIDs(ErasedFetchRequest(request))
    }

    /// Returns the number of objects that a request matches, unsaved changes included.
    public func count<Object: ManagedObject>(
        for request: FetchRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) throws -> Int {
        enter(isolation)
        noticeStores()
        let request = ErasedFetchRequest(request)
        if stores.hasOne, request.affectedStores == nil { return try main.count(request) }
        return try FetchOfStores(request, in: self).count()
    }

    /// Fetches objects of a class known at run time, and passes them to a closure one by one.
    @usableFromInline
    func fetch(
        _ request: ErasedFetchRequest, _ isolation: (any Actor)?,
        _ body: (CountedObject) -> Void
    ) throws {
        enter(isolation)
        noticeStores()
        defer {
            awakeObjects()
            endUnitSoonIfFull()
        }
        if request.isPlain { return try fetchRows(request, body) }
        for object in try fetchWithOptions(request) { body(CountedObject(object)) }
    }

    /// Passes the objects of a request to a closure as they are loaded.
    func fetchRows(
        _ request: ErasedFetchRequest, _ body: (CountedObject) -> Void
    ) throws {
        if stores.hasOne, request.affectedStores == nil {
            return try main.fetch(request, body)
        }
        let fetch = try FetchOfStores(request, in: self)
        if let part = fetch.only { return try part.fetch(request, body) }
        for result in try fetch.results() {
            let object = result.part.object(of: result.item, request.refreshes)
            try request.check(object)
            body(CountedObject(object))
        }
    }

    /// Returns the IDs of the results of a request, in order.
    func objectIDs(_ request: ErasedFetchRequest) throws -> [ManagedObjectID] {
        if stores.hasOne, request.affectedStores == nil { return try main.objectIDs(request) }
        let fetch = try FetchOfStores(request, in: self)
        if let part = fetch.only { return try part.objectIDs(request) }
        return try fetch.results().map(\.item.id)
    }
}

extension ContextPart {
    /// Fetches from this part's store.
    fileprivate func fetch(
        _ request: ErasedFetchRequest, _ body: (CountedObject) -> Void
    ) throws {
        var query = try storeQuery(request)
        if request.refreshes { try refreshChangedObjects(of: query.query) }
        let (pending, snapshot) = try beginFetch(request, query)
        if let pending {
            for item in try pending.items() {
                let object = object(of: item, request.refreshes)
                try request.check(object)
                body(CountedObject(object))
            }
            return
        }
        if request.isPartial {
            query.setSlots(try request.slots(in: model[query.query.entity], of: model))
        }
        let slots = query.query.slots
        let execution = try QueryExecution(query, on: store, in: snapshot)
        if execution.isStreaming {
            var last: RowStorage?
            var failure: (any Error)?
            var count = 0
            do throws(StoreError) {
                try execution.forEachBatch(maximumRows: groupLimit) { batch in
                    if let last { reading.link(batch.storage, after: last) }
                    last = batch.storage
                    count += batch.count
                    do {
                        try register(batch, slots, request, body)
                    } catch {
                        failure = error
                    }
                    return failure == nil
                }
            } catch {
                guard error.code == .damagedValue else { throw error }
                try fetchFaults(execution, from: count, request, body)
            }
            if let failure { throw failure }
            return
        }
        let rows = try execution.rows()
        if slots == nil, execution.pushdown.residual == nil,
            !execution.pushdown.needsWindow
        {
            for row in rows {
                let object = register(row, refreshing: request.refreshes)
                try request.check(object)
                body(CountedObject(object))
            }
            return
        }
        // Copies the rows: large blocks retained for a few rows would retain the others too, and
        // mislead the grouping of faults.
        var last: RowStorage?
        for start in stride(from: 0, to: rows.count, by: groupLimit) {
            let end = min(start + groupLimit, rows.count)
            let batch = RowBatch.copying(rows[start..<end], model, slots: slots)
            if let last { reading.link(batch.storage, after: last) }
            last = batch.storage
            try register(batch, slots, request, body)
        }
    }

    fileprivate func objectIDs(_ request: ErasedFetchRequest) throws -> [ManagedObjectID] {
        let query = try storeQuery(request)
        let (pending, snapshot) = try beginFetch(request, query)
        if let pending { return try pending.items().map(\.id) }
        return try QueryExecution(query, on: store, in: snapshot).objectIDs()
    }

    /// Returns the number of objects of this part's store that a request matches.
    func count(_ request: ErasedFetchRequest) throws -> Int {
        let query = try storeQuery(request)
        let (pending, snapshot) = try beginFetch(request, query)
        if let pending { return try pending.items().count }
        return try QueryExecution(query, on: store, in: snapshot).count()
    }

    /// Applies delete rules and takes the newest snapshot. The first result is nil if unsaved
    /// changes cannot affect the fetch.
    func beginFetch(
        _ request: ErasedFetchRequest, _ query: LoweredQuery
    ) throws -> (PendingFetch<ContextSource>?, any StoreSnapshot) {
        context.propagateDeletes()
        countRoundTrip(RoundTrip(.fetch, model[query.query.entity].name))
        reading.letGoUnlessNewest()
        let current = try currentSnapshot()
        return (request.includesPendingChanges ? pendingFetch(query, in: current) : nil, current)
    }

    /// Returns the query of a request for this part's store.
    func storeQuery(_ request: ErasedFetchRequest) throws -> LoweredQuery {
        try request.checkWindow()
        var query = request.query
        query.entity = try request.entity(in: model).id
        query.predicate = context.current(query.predicate)
        do {
            return try LoweredQuery(query, in: model)
        } catch {
            throw StoreError(error)
        }
    }

    // MARK: - Rows to objects

    /// Passes the objects of blocks of one fetch to a closure.
    func register(
        _ batches: [RowBatch], _ request: ErasedFetchRequest, _ body: (CountedObject) -> Void
    ) throws {
        var last: RowStorage?
        for batch in batches {
            if let last { reading.link(batch.storage, after: last) }
            last = batch.storage
            try register(batch, nil, request, body)
        }
    }

    private func register(
        _ batch: RowBatch, _ slots: SlotSet?, _ request: ErasedFetchRequest,
        _ body: (CountedObject) -> Void
    ) throws {
        if let slots { return try registerPartial(batch, slots, request, body) }
        let storage = batch.storage
        var start = storage.rowOffsets.startIndex
        // Values shared by rows of one entity are looked up when the entity changes.
        while start < storage.rowOffsets.endIndex {
            let entity = Row.entityIndex(storage.words(of: start))
            var end = start + 1
            while end < storage.rowOffsets.endIndex,
                Row.entityIndex(storage.words(of: end)) == entity
            {
                end += 1
            }
            try identity.borrowedPlans[entity].with { plan in
                if !request.accepts(plan.objectClass) {
                    try request.check(register(storage.row(at: start)))
                }
                registerAll(
                    start..<end, of: storage, plan, refreshing: request.refreshes, body)
            }
            start = end
        }
    }

    /// Returns the object of an item; the row of an object with changes is the object's own.
    func object(of item: BoundSort.Item, _ refreshes: Bool) -> ManagedObject {
        if let known = registeredObject(for: item.id), known.hasChanges { return known }
        return register(item.row, refreshing: refreshes)
    }
}
