public import DuramenModel

extension ManagedObjectContext {
    /// Imports a feed of JSON into objects of a class, without duplicates.
    ///
    /// ```swift
    /// let report = try context.import(from: .file("books.json"), into: Book.self) {
    ///     $0.match(\.isbn)
    ///     $0.relationship(\.author) { $0.match(\.name) }
    /// }
    /// ```
    /// An element whose natural key a stored object has updates that object; any other element
    /// becomes a new object. Only properties that the feed has are written, and only where they
    /// differ. The feed is read in chunks, and each chunk is one save.
    ///
    /// - Parameters:
    ///   - feed: The elements.
    ///   - type: The class of the objects.
    ///   - options: The size of chunks, the treatment of failures, progress and cancellation.
    ///   - isolation: The owner of the context, filled in by the compiler.
    ///   - mapping: A closure that says how elements become objects, where their keys do not.
    /// - Returns: The counts, and the elements that were refused.
    /// - Throws: ``ImportError``; or what fetches and saves throw. Chunks that were saved before
    ///   stay saved, and what was not saved is undone.
    /// - Complexity: Round trips: one for each natural key and chunk, one for each to-many and 500
    ///   of its owners in a chunk, and one save for each chunk that changes something.
    @discardableResult
    public func `import`<Object: ManagedObject>(
        from feed: ImportFeed, into type: Object.Type, options: ImportOptions = ImportOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ mapping: (inout ImportMapping<Object>) -> Void = { _ in }
    ) throws -> ImportReport {
        enter(isolation)
        noticeStores()
        let entity = persistentStoreCoordinator.managedObjectModel.entities.first {
            $0.managedObjectClass?.type == type
        }
        guard let entity else {
            throw ImportError(
                .invalidMapping,
                "The model has no entity of class \(type). Add the class to the model, or name the "
                    + "entity.")
        }
        var typed = ImportMapping<Object>()
        mapping(&typed)
        return try importFeed(feed, entity, options, typed.rules)
    }

    /// Imports a feed of JSON into objects of an entity, such as one of a model file.
    ///
    /// Properties can have hints in their user info. `importName` is the key of the feed.
    /// `relatedByAttribute`, of an entity or a relationship, names the attribute of the natural
    /// key.
    ///
    /// - Parameters:
    ///   - feed: The elements.
    ///   - entity: The entity, of the container's model.
    ///   - options: The size of chunks, the treatment of failures, progress and cancellation.
    ///   - isolation: The owner of the context, filled in by the compiler.
    ///   - mapping: A closure that names properties in words.
    /// - Returns: The counts, and the elements that were refused.
    /// - Throws: As ``import(from:into:options:isolation:_:)-(_,Object.Type,_,_,_)`` does.
    @discardableResult
    public func `import`(
        from feed: ImportFeed, into entity: Entity, options: ImportOptions = ImportOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ mapping: (inout ImportMapping<ManagedObject>) -> Void = { _ in }
    ) throws -> ImportReport {
        enter(isolation)
        noticeStores()
        let model = persistentStoreCoordinator.managedObjectModel
        guard model.entities.indices.contains(entity.id.index), model[entity.id] === entity else {
            throw ImportError(
                .invalidMapping,
                "The entity '\(entity.name)' is of another model than the context's. Ask the context's "
                    + "model for it.")
        }
        var named = ImportMapping<ManagedObject>()
        mapping(&named)
        return try importFeed(feed, entity, options, named.rules)
    }

    private func importFeed(
        _ feed: ImportFeed, _ entity: Entity, _ options: ImportOptions, _ rules: ImportRules
    ) throws -> ImportReport {
        guard !hasChanges else {
            throw ImportError(
                .unsavedChanges,
                "The context has changes, which the saves of an import would save too. Save or roll back "
                    + "first, or import in another context.")
        }
        let model = persistentStoreCoordinator.managedObjectModel
        guard openParts.contains(where: { $0.model.entity(for: entity.handle) != nil }) else {
            throw ImportError(
                .invalidMapping,
                "No store of the container keeps '\(entity.name)'. Add a store whose configuration has "
                    + "the entity.")
        }
        var rules = rules
        if rules.match == nil, let hint = entity.userInfo["relatedByAttribute"] {
            rules.match = [hint]
        }
        let plan = try ImportPlan(entity, rules, in: model, dateFormat: feed.dateFormat)
        return try ImportRun(plan, options, feed, in: self).run(feed)
    }
}

extension PersistentContainer {
    /// Imports a feed of JSON in a background context; see
    /// ``ManagedObjectContext/import(from:into:options:isolation:_:)-(_,Object.Type,_,_,_)``. It
    /// ends with `.cancelled` when the task is cancelled.
    ///
    /// - Parameters:
    ///   - feed: The elements.
    ///   - type: The class of the objects.
    ///   - options: The size of chunks, the treatment of failures, progress and cancellation.
    ///   - mapping: A closure that says how elements become objects, where their keys do not.
    /// - Returns: The counts, and the elements that were refused.
    /// - Throws: ``ImportError``; or what fetches and saves throw.
    @discardableResult
    public func `import`<Object: ManagedObject>(
        from feed: ImportFeed, into type: Object.Type,
        options: ImportOptions = ImportOptions(),
        _ mapping: @escaping @Sendable (inout ImportMapping<Object>) -> Void = { _ in }
    ) async throws -> ImportReport {
        var options = options
        let cancellation = CancellationFlag(following: options.cancellation)
        options.cancellation = cancellation
        return try await withTaskCancellationHandler {
            try await performBackgroundTask { context in
                try context.import(from: feed, into: type, options: options, mapping)
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
