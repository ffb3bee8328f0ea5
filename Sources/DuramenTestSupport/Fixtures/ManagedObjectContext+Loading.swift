public import Duramen
import Foundation

extension ManagedObjectContext {
    /// Loads a fixture: a JSON array whose elements become objects of a class, and saves it.
    ///
    /// ```swift
    /// try context.load("""
    ///     [{"isbn": "1", "title": "Solaris", "author": {"name": "Stanisław Lem"}}]
    ///     """, into: Book.self) { $0.match(\.isbn) }
    /// ```
    /// Elements are mapped as
    /// ``ManagedObjectContext/import(from:into:options:isolation:_:)-(_,Object.Type,_,_,_)`` maps
    /// them. Here, however, a refused element fails the call, and nothing of the fixture is kept.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - type: The class of the objects.
    ///   - isolation: The owner of the context, filled in by the compiler.
    ///   - mapping: A closure that says how elements become objects, where their keys do not.
    /// - Returns: The counts by entity, as an import reports them.
    /// - Throws: ``TestSupportError`` `.refusedElements` with the pointer and the reason of each
    ///   refused element, `.unsavedChanges`. `ImportError` when the document is not JSON or the
    ///   mapping does not match the model. Otherwise what the save throws.
    /// - Complexity: One save. All objects of the fixture are in memory at once.
    @discardableResult
    public func load<Object: ManagedObject>(
        _ json: String, into type: Object.Type,
        isolation: isolated (any Actor)? = #isolation,
        _ mapping: (inout ImportMapping<Object>) -> Void = { _ in }
    ) throws -> ImportReport {
        try load(
            from: .json(Data(json.utf8)), into: type, isolation: isolation, mapping)
    }

    /// Loads a fixture from a feed, such as a file or values of your own types; see
    /// ``load(_:into:isolation:_:)-(_,Object.Type,_,_)``.
    @discardableResult
    public func load<Object: ManagedObject>(
        from feed: ImportFeed, into type: Object.Type,
        isolation: isolated (any Actor)? = #isolation,
        _ mapping: (inout ImportMapping<Object>) -> Void = { _ in }
    ) throws -> ImportReport {
        try loading(isolation) { child in
            try child.import(
                from: feed, into: type, options: .ofFixtures, isolation: isolation, mapping)
        }
    }

    /// Loads a fixture into an entity, such as one of a model file; see
    /// ``load(_:into:isolation:_:)-(_,Object.Type,_,_)``.
    @discardableResult
    public func load(
        _ json: String, into entity: Entity, isolation: isolated (any Actor)? = #isolation,
        _ mapping: (inout ImportMapping<ManagedObject>) -> Void = { _ in }
    ) throws -> ImportReport {
        try load(
            from: .json(Data(json.utf8)), into: entity, isolation: isolation, mapping)
    }

    /// Loads a fixture from a feed into an entity, such as one of a model file; see
    /// ``load(_:into:isolation:_:)-(_,Object.Type,_,_)``.
    @discardableResult
    public func load(
        from feed: ImportFeed, into entity: Entity, isolation: isolated (any Actor)? = #isolation,
        _ mapping: (inout ImportMapping<ManagedObject>) -> Void = { _ in }
    ) throws -> ImportReport {
        try loading(isolation) { child in
            try child.import(
                from: feed, into: entity, options: .ofFixtures, isolation: isolation, mapping)
        }
    }

    /// Loads a fixture of several entities in one save: a JSON object whose keys are names of
    /// entities.
    ///
    /// ```swift
    /// try context.load(graph: """
    ///     {
    ///       "Author": [{"name": "Stanisław Lem"}],
    ///       "Book": [{"isbn": "1", "title": "Solaris", "author": "Stanisław Lem"}]
    ///     }
    ///     """)
    /// ```
    /// Entities are loaded in the order of the document. Objects are found by their natural keys:
    /// the entity's first uniqueness constraint, or `relatedByAttribute` in its user info. An
    /// object that is referred to by its key before its own element is made there, so it needs its
    /// required values there; write its entity first instead.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - isolation: The owner of the context, filled in by the compiler.
    /// - Returns: The counts by entity. An object counts for each array that has it.
    /// - Throws: ``TestSupportError``: `.malformedGraph`, `.unknownEntity`, `.refusedElements`,
    ///   `.unsavedChanges`. Otherwise `ImportError`, or what the save throws.
    @discardableResult
    public func load(
        graph json: String, isolation: isolated (any Actor)? = #isolation
    ) throws -> [String: ImportReport.Counts] {
        try load(GraphDocument(Data(json.utf8)), isolation)
    }

    /// Loads a fixture of several entities from a file; see ``load(graph:isolation:)``.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - isolation: The owner of the context, filled in by the compiler.
    /// - Throws: As ``load(graph:isolation:)``, and the error of reading the file.
    @discardableResult
    public func load(
        graphFile path: String, isolation: isolated (any Actor)? = #isolation
    ) throws -> [String: ImportReport.Counts] {
        try load(GraphDocument(Data(contentsOf: URL(filePath: path))), isolation)
    }

    private func load(
        _ document: GraphDocument, _ isolation: isolated (any Actor)?
    ) throws -> [String: ImportReport.Counts] {
        let model = persistentStoreCoordinator.managedObjectModel
        let entities = try document.names.map { try model.requireEntity($0) }
        return try loading(isolation) { child in
            var counts: [String: ImportReport.Counts] = [:]
            var failures: [ImportFailure] = []
            for entity in entities {
                let report = try child.import(
                    from: .json(document.data, at: "/\(entity.name)"), into: entity,
                    options: .ofFixtures, isolation: isolation)
                failures += report.failures
                for (name, added) in report.entities {
                    counts[name] = added + (counts[name] ?? ImportReport.Counts())
                }
            }
            try failures.throwIfAny()
            return counts
        }
    }

    /// Imports into a child context, and saves only if all went well.
    private func loading<Result>(
        _ isolation: isolated (any Actor)?,
        _ work: (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        guard !hasChanges else {
            throw TestSupportError(
                .unsavedChanges,
                "The context has changes, which the save of a fixture would save too. Save or roll back "
                    + "first.")
        }
        do {
            let result = try work(ManagedObjectContext(parent: self))
            try (result as? ImportReport)?.failures.throwIfAny()
            try save(isolation: isolation)
            return result
        } catch {
            rollback()
            throw error
        }
    }
}

extension ImportOptions {
    /// All of a fixture is one chunk, so that an element may refer to any other one.
    fileprivate static var ofFixtures: ImportOptions {
        var options = ImportOptions()
        options.chunkSize = .max
        return options
    }
}

extension [ImportFailure] {
    /// - Throws: ``TestSupportError`` `.refusedElements`.
    fileprivate func throwIfAny() throws {
        if isEmpty { return }
        let shown = prefix(10).map { "\n  \($0)" }.joined()
        let rest = count > 10 ? "\n  and \(count - 10) more" : ""
        throw TestSupportError(
            .refusedElements,
            "The fixture was not loaded, because \(count) of its elements were refused. Correct them:"
                + shown + rest, failures: self)
    }
}

extension ImportReport.Counts {
    fileprivate static func + (a: Self, b: Self) -> Self {
        Self(
            inserted: a.inserted + b.inserted, updated: a.updated + b.updated,
            unchanged: a.unchanged + b.unchanged)
    }
}
