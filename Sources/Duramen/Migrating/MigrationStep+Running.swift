import DuramenModel
public import DuramenStore

extension ManagedObjectContext {
    fileprivate func saveIfNeeded() throws { if hasChanges { try save() } }

    /// Returns the object with an ID; nil if it was deleted.
    fileprivate func objectIfPresent(_ id: ManagedObjectID) throws -> ManagedObject? {
        do {
            return try existingObject(with: id)
        } catch let error as ContextError where error.code == .objectNotFound {
            return nil
        }
    }
}

extension MigrationStep {
    /// Runs your own code with managed objects.
    ///
    /// ```swift
    /// .run("Split addresses") { migration in
    ///     try migration.forEachObject(of: "Person") { person in
    ///         let address = try migration.insert("Address")
    ///         try address.setValue(person.value(forKey: "street"), forKey: "street")
    ///         try person.setValue(address, forKey: "address")
    ///     }
    /// }
    /// ```
    /// - Parameters:
    ///   - label: The name of the step in plans and errors.
    ///   - body: Your code.
    public static func run(
        _ label: String, _ body: @escaping @Sendable (MigrationObjects) throws -> Void
    ) -> MigrationStep {
        MigrationStep(
            label, check: { _ in [] },
            body: { work in
                let opened = work.access.resource { description, model in
                    try PersistentContainer.open(
                        name: "migration", model: model, stores: [description])
                }
                guard let container = opened else { return }
                let objects = try MigrationObjects(work, container)
                try body(objects)
                try objects.context.saveIfNeeded()
            })
    }
}

/// The objects of a store between two versions of its model, for ``MigrationStep/run(_:_:)``.
///
/// Properties that the next version adds have their new names. All other properties have their old
/// names. Objects keep their IDs.
public final class MigrationObjects {
    /// The context for changes, which the step saves at its end. Delete rules and validation rules
    /// are off.
    public let context: ManagedObjectContext
    /// The objects before the step, for reading.
    public let old: ManagedObjectContext
    private let work: StepWork
    private let model: ManagedObjectModel

    /// The number of objects after which ``forEachObject(of:_:)`` saves.
    private static let objectsPerSave = 500

    init(_ work: StepWork, _ container: PersistentContainer) throws {
        self.work = work
        model = container.managedObjectModel
        context = container.makeContext(ContextOptions(author: MigrationWork.historyAuthor))
        old = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        try old.setQueryGeneration(from: .current)
        // The first fetch pins the context.
        if let entity = model.entities.first {
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
            request.fetchLimit = 1
            _ = try old.fetch(request)
        }
    }

    /// Inserts an object into ``context``.
    ///
    /// - Parameter entity: The name of the entity in the earlier version. A new entity has its name
    ///   in the next version.
    /// - Throws: ``StoreError`` `.invalidRequest` if the entity does not exist.
    public func insert(_ entity: String) throws -> ManagedObject {
        ManagedObject(entity: try self.entity(entity), context: context)
    }

    private func entity(_ name: String) throws -> Entity {
        if let entity = model.entity(named: name) { return entity }
        throw StoreError(
            .invalidRequest,
            "The model between the two versions has no entity '\(name)'. Correct the name.")
    }

    /// Visits each object of an entity in the order of the keys, and saves every 500 objects.
    ///
    /// Objects that `body` inserts are not visited, and objects that it has deleted are skipped.
    /// After each save the context is reset, so do not keep objects beyond `body`.
    ///
    /// - Parameters:
    ///   - entity: The entity's name in the earlier version. Objects of subentities are visited
    ///     too.
    ///   - body: Called with each object.
    /// - Throws: ``StoreError`` `.invalidRequest` if the entity does not exist; errors of `body`
    ///   and of saving.
    /// - Complexity: Needs memory for 500 objects.
    public func forEachObject(
        of entity: String, _ body: (ManagedObject) throws -> Void
    ) throws {
        let known = try self.entity(entity)
        var ids: [ManagedObjectID] = []
        func finish() throws {
            for id in ids {
                guard let object = try context.objectIfPresent(id) else { continue }
                try body(object)
            }
            try context.saveIfNeeded()
            context.reset()
            ids = []
        }
        try work.forEachRow(of: known) { (row) throws in
            ids.append(row.objectID)
            if ids.count == Self.objectsPerSave { try finish() }
        }
        try finish()
    }
}
