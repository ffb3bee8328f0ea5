import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Inserts objects in one transaction of the store.
    ///
    /// Validation checks only that mandatory attributes have values, and no hook is called. The
    /// request is atomic and needs memory for a thousand objects at a time. Contexts of the
    /// container and their lists are notified as after a save. After thousands of changes, contexts
    /// compare row versions of their objects instead. Unsaved changes are ignored.
    ///
    /// - Parameters:
    ///   - request: The objects to insert.
    ///   - isolation: The isolation that the call runs in; leave it out.
    /// - Throws: ``ContextError`` for invalid names and values; ``StoreError``
    ///   `.uniquenessViolated`, `.unsupported` for a store without batches, `.cancelled`; errors of
    ///   the handler.
    @discardableResult
    public func execute<Object: ManagedObject>(
        _ request: BatchInsertRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) throws -> BatchResult {
        enter(isolation)
        noticeStores()
        var fetch = FetchRequest<Object>()
        fetch.entityName = request.entityName
        let erased = ErasedFetchRequest(fetch)
        let entity = try erased.entity(in: persistentStoreCoordinator.managedObjectModel)
        try checkClass(of: entity, is: Object.self)
        let parts = batchParts(of: entity, request.affectedStores)
        guard let part = parts.first(where: { $0.topPart.connection.isWritable }) else {
            throw ContextError(
                .unknownStore,
                "No store of the container that may be written takes objects of '\(entity.name)'.")
        }
        let own = part.model.entity(for: entity.handle) ?? entity
        let settings = batchSettings(
            request.resultType, request.cancellation, request.progress)
        let scratch = ManagedObjectContext(
            coordinator: persistentStoreCoordinator,
            options: ContextOptions(
                name: "batch", automaticallyMergesChangesFromParent: false))
        let policy = mergePolicy.repetition(of: own, in: part.model)
        guard let home = scratch.part(of: part.topPart.connection) else {
            throw ContextError(.storeRemoved, "The store was removed from its container.")
        }
        // A part does not retain its context.
        return try withExtendedLifetime(scratch) {
            try perform([part]) { store in
                let row = BatchRowMaker(
                    of: own, in: home, for: self, store: store, takesNull: !policy.ignoresNull)
                return try BatchInsertion(of: own.id, repetition: policy.repetition, settings) {
                    key, snapshot in try row.next(key: key, snapshot, fill: request.fill)
                }.run(on: store)
            }
        }
    }

    /// Changes stored objects in one transaction per store.
    ///
    /// Validation checks only types and that mandatory properties keep values, and no hook is
    /// called. Row versions are bumped, so saves of contexts that changed these objects report
    /// conflicts. Notifications and costs are those of a batch insertion.
    ///
    /// - Parameters:
    ///   - request: The objects to change and their new values.
    ///   - isolation: The isolation that the call runs in; leave it out.
    /// - Throws: ``StoreError`` `.invalidRequest` if the request does not match the model,
    ///   `.uniquenessViolated`, `.unsupported`, `.cancelled`. ``ContextError`` if the entity is
    ///   unknown. With several stores, the stores before the failing one stay changed.
    @discardableResult
    public func execute<Object: ManagedObject>(
        _ request: BatchUpdateRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) throws -> BatchResult {
        enter(isolation)
        noticeStores()
        var fetch = FetchRequest<Object>()
        fetch.entityName = request.entityName
        fetch.predicate = current(request.predicate)
        fetch.includesSubentities = request.includesSubentities
        let assignments = request.propertiesToUpdate
            .map { (name: $0.key, value: current($0.value)) }
            .sorted { StoredText($0.name) < StoredText($1.name) }
        let settings = batchSettings(
            request.resultType, request.cancellation, request.progress)
        let erased = ErasedFetchRequest(fetch)
        let entity = try erased.entity(in: persistentStoreCoordinator.managedObjectModel)
        return try perform(batchParts(of: entity, request.affectedStores)) { store in
            try BatchUpdate(
                try erased.batchQuery(in: store.model), setting: assignments, settings
            ).run(on: store)
        }
    }

    /// Deletes stored objects in one transaction per store and applies their delete rules.
    ///
    /// Cascading rules delete further objects, and references to deleted objects become nil. A deny
    /// rule ends the request before anything is written. Relationship counts and mandatory
    /// relationships are not validated, and no hook is called. Notifications and costs are those of
    /// a batch insertion. If delete rules reach other objects, the IDs of all deleted objects are
    /// kept in memory.
    ///
    /// - Parameters:
    ///   - request: The objects to delete.
    ///   - isolation: The isolation that the call runs in; leave it out.
    /// - Throws: ``StoreError`` `.deletionDenied`, `.invalidRequest` if the request does not match
    ///   the model, `.unsupported`, `.cancelled`. ``ContextError`` `.invalidRequest` for a negative
    ///   limit or offset, or for either with several stores; `.unknownName`. With several stores,
    ///   the stores before the failing one stay changed.
    @discardableResult
    public func execute<Object: ManagedObject>(
        _ request: BatchDeleteRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) throws -> BatchResult {
        enter(isolation)
        noticeStores()
        let settings = batchSettings(
            request.resultType, request.cancellation, request.progress)
        switch request.selection {
        case .objectIDs(let given):
            let ids = given.map(answeredID)
            let parts = openParts.filter { part in
                request.affectedStores?.contains(part.handle.store) != false
                    && ids.contains { $0.store == part.handle.store }
            }
            return try perform(parts) { store in
                try BatchDeletion(.objectIDs(ids), settings).run(on: store)
            }
        case .request(let fetch):
            var erased = ErasedFetchRequest(fetch)
            erased.query.predicate = current(erased.query.predicate)
            try erased.checkWindow()
            let entity = try erased.entity(in: persistentStoreCoordinator.managedObjectModel)
            let parts = batchParts(of: entity, request.affectedStores)
            if parts.count > 1, erased.query.isWindowed {
                throw ContextError(
                    .invalidRequest,
                    "A batch deletion with a limit or an offset is of one store; name it in affectedStores."
                )
            }
            return try perform(parts) { store in
                try BatchDeletion(.query(try erased.batchQuery(in: store.model)), settings)
                    .run(on: store)
            }
        }
    }

    private func batchParts(
        of entity: Entity, _ stores: [StoreHandle]?
    ) -> [ContextPart] {
        openParts.filter { part in
            part.model.entity(for: entity.handle) != nil
                && stores?.contains(part.handle.store) != false
        }
    }

    /// Runs a batch on each store and merges its changes.
    func perform(
        _ parts: [ContextPart], _ body: (any PersistentStore) throws -> BatchOutcome
    ) throws -> BatchResult {
        var result = BatchResult()
        defer { endBatch() }
        for part in parts {
            part.countRoundTrip(RoundTrip(.save, ""))
            let outcome = try part.topPart.connection.perform(body)
            result.count += outcome.count
            result.objectIDs += outcome.objectIDs
            result.changedObjectIDs.inserted.formUnion(outcome.inserted)
            result.changedObjectIDs.updated.formUnion(outcome.updated)
            result.changedObjectIDs.deleted.formUnion(outcome.deleted)
        }
        return result
    }

    /// Merges the batch's changes into this context at once.
    private func endBatch() {
        drainFromTop()
        for part in parts { part.reading.letGo() }
        if mustTellOfUnit { tellOfUnit() }
    }

    private func checkClass(of entity: Entity, is type: ManagedObject.Type) throws {
        if entity.isAbstract {
            throw ContextError(
                .invalidRequest,
                "'\(entity.name)' is abstract; insert objects of one of its sub-entities.")
        }
        let named = entity.managedObjectClass?.type as? ManagedObject.Type ?? ManagedObject.self
        if named == type || type == ManagedObject.self { return }
        throw ContextError(
            .invalidRequest,
            "Objects of '\(entity.name)' are of class \(named), not \(type). Insert with that class."
        )
    }

    func batchSettings(
        _ resultType: BatchResultType, _ cancellation: CancellationFlag?,
        _ progress: (@Sendable (Int) -> Void)?
    ) -> BatchSettings {
        BatchSettings(
            author: transactionAuthor, contextName: name, cancellation: cancellation,
            keepsObjectIDs: resultType == .objectIDs, progress: progress)
    }
}

extension ContextPart {
    // MARK: - Doing it
}

extension StoreConnection {
    /// Runs a batch and notifies all contexts of its changes, including the requesting one.
    fileprivate func perform(
        _ body: (any PersistentStore) throws -> BatchOutcome
    ) throws -> BatchOutcome {
        let result = try withWritableStore { store throws(StoreError) in
            Result { try attempt(body, store) }
        }
        return try result.get()
    }

    private func attempt(
        _ body: (any PersistentStore) throws -> BatchOutcome, _ store: any PersistentStore
    ) throws -> BatchOutcome {
        do {
            let outcome = try body(store)
            guard let generation = outcome.generation else { return outcome }
            recordOwn(generation, store)
            publish(try? news(of: outcome.changes, generation, store), from: nil)
            return outcome
        } catch let error as StoreError where error.code == .unknownOutcome {
            requireReopening()
            publish(nil, from: nil)
            throw error
        }
    }

    /// Returns the changes that contexts merge after a batch; nil if they are not known.
    private func news(
        of changes: BatchChanges?, _ generation: StoreGeneration, _ store: any PersistentStore
    ) throws(StoreError) -> SavedChanges? {
        guard let changes else { return nil }
        let snapshot = try store.snapshot()
        var news = SavedChanges()
        news.generation = generation
        news.inserts = RowList(try snapshot.batches(for: changes.inserted).joined())
        let ids = changes.updated.map { $0.objectID(in: store.model, store: store.handle) }
        var rows: [ManagedObjectID: Row] = [:]
        for row in try snapshot.batches(for: ids).joined() {
            rows[row.objectID(in: store.model, store: store.handle)] = row
        }
        for (id, base) in zip(ids, changes.updated) {
            if let row = rows[id] { news.updates.append(.init(base: base, row: row)) }
        }
        news.deletes = changes.deleted
        news.edges = changes.edges
        return news
    }
}

extension ErasedFetchRequest {
    /// Returns the query for a store's model.
    fileprivate func batchQuery(in model: ManagedObjectModel) throws -> StoreQuery {
        var query = query
        query.entity = try entity(in: model).id
        return query
    }
}

extension MergePolicy {
    /// Returns how the policy handles a new object with the unique values of another object.
    fileprivate func repetition(
        of entity: Entity, in model: ManagedObjectModel
    ) -> (repetition: BatchInsertion.Repetition, ignoresNull: Bool) {
        switch choice {
        case .error, .custom: return (.refused, false)
        case .rule(.storeTrump), .rule(.rollback): return (.skipped, false)
        case .rule(.objectTrump): return (.updatesGiven, false)
        case .rule(.fill): return (.updatesGiven, true)
        case .rule(.overwrite): return (.replacesAll, false)
        case .perEntity(let policies, let other):
            var current: Entity? = entity
            while let ancestor = current {
                if let policy = policies[StoredText(ancestor.name)] {
                    return policy.repetition(of: entity, in: model)
                }
                current = ancestor.superentity.map { model[$0] }
            }
            return other.repetition(of: entity, in: model)
        }
    }
}
