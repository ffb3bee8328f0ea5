import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Inserts objects in one transaction of the store.
    ///
    /// Nothing is validated but that mandatory attributes have values, and no hook is called. It is
    /// all or nothing, and takes the memory of a thousand objects. Contexts of the container and
    /// their lists are told as of a save; where thousands changed, they compare versions of what
    /// they have. Unsaved changes take no part.
    ///
    /// - Parameter isolation: The owner of the context, filled in by the compiler.
    /// - Throws: ``ContextError`` for names and values that do not fit; ``StoreError``
    ///   `.uniquenessViolated`, `.unsupported` for a store without batches, `.cancelled`; what the
    ///   handler throws.
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
        // Parts do not keep their context.
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

    /// Changes stored objects in one transaction of each store.
    ///
    /// Nothing is validated but types and that mandatory properties keep values, and no hook is
    /// called. Versions of the objects grow, so that saves of who changed them as well report
    /// conflicts. What is told to other contexts, and what it costs, is as for insertions.
    ///
    /// - Parameter isolation: The owner of the context, filled in by the compiler.
    /// - Throws: ``StoreError`` `.invalidRequest` for what does not fit the model,
    ///   `.uniquenessViolated`, `.unsupported`, `.cancelled`. With several stores, those before the
    ///   one that fails are written.
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

    /// Deletes stored objects in one transaction of each store, with what their delete rules ask
    /// for.
    ///
    /// Objects that a rule cascades to are deleted, references to deleted ones become nil, and a
    /// rule that denies ends the request before anything is written. Counts and mandatory
    /// relationships are not judged, and no hook is called. What is told to other contexts, and
    /// what it costs, is as for insertions; where rules reach other objects, the IDs of all that is
    /// deleted are kept in memory.
    ///
    /// - Parameter isolation: The owner of the context, filled in by the compiler.
    /// - Throws: ``StoreError`` `.deletionDenied`, `.invalidRequest` for what does not fit the
    ///   model, `.unsupported`, `.cancelled`. With several stores, those before the one that fails
    ///   are written.
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

    /// Runs a batch on each store, and merges what it did.
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

    /// Takes what happened into this context at once.
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
    /// Runs a batch, and tells all contexts what it did, its own among them.
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

    /// What contexts merge of a batch; nil when that is not known.
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
    /// The query as a store's model has it.
    fileprivate func batchQuery(in model: ManagedObjectModel) throws -> StoreQuery {
        var query = query
        query.entity = try entity(in: model).id
        return query
    }
}

extension MergePolicy {
    /// What the policy says about a new object with the unique values of another one.
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
