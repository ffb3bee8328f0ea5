import DuramenModel
public import DuramenStore

extension MigrationStep {
    /// Does what no other step does, with objects.
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
    /// - Parameter label: What it does, for plans and errors.
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

/// The objects of a store between two versions of its model, for a step that a program writes.
///
/// Properties are read by the names of the version before and written by the names in between: those
/// that the next version adds have their new names, all others their old ones. Objects keep their
/// IDs.
public final class MigrationObjects {
    /// Where objects are changed; saved when the step ends. Delete rules and rules of values are
    /// off.
    public let context: ManagedObjectContext
    /// The objects as they were before the step, for reading.
    public let old: ManagedObjectContext
    private let work: StepWork
    private let model: ManagedObjectModel

    /// How many objects ``forEachObject(of:_:)`` saves at a time.
    private static let objectsPerSave = 500

    init(_ work: StepWork, _ container: PersistentContainer) throws {
        self.work = work
        model = container.managedObjectModel
        context = container.makeContext(ContextOptions(author: StepWork.author))
        old = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        try old.setQueryGeneration(from: .current)
        // The first question decides which state it is.
        if let entity = model.entities.first {
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
            request.fetchLimit = 1
            _ = try old.fetch(request)
        }
    }

    /// Makes an object of an entity, in ``context``.
    ///
    /// - Parameter entity: The name of the entity, in the version before or, for one that is new, in
    ///   the next one.
    /// - Throws: ``StoreError`` `.invalidRequest` for a name that is none.
    public func insert(_ entity: String) throws -> ManagedObject {
        ManagedObject(entity: try self.entity(entity), context: context)
    }

    private func entity(_ name: String) throws -> Entity {
        if let entity = model.entity(named: name) { return entity }
        throw StoreError(
            .invalidRequest, "There is no entity '\(name)' between the versions of the model.")
    }

    /// Runs `body` with each object that an entity has when this begins, in the order of their
    /// keys, and saves some hundred at a time. Objects that went meanwhile are left out.
    ///
    /// - Parameter entity: The entity's name in the version before, with its sub-entities.
    /// - Throws: ``StoreError`` `.invalidRequest` for a name that is none; what `body` and saving
    ///   throw.
    /// - Complexity: In the memory of a part: objects of earlier ones are faults of no context
    ///   afterwards.
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

extension ManagedObjectContext {
    fileprivate func saveIfNeeded() throws { if hasChanges { try save() } }

    /// The object with an ID; nil when it was deleted.
    fileprivate func objectIfPresent(_ id: ManagedObjectID) throws -> ManagedObject? {
        do {
            return try existingObject(with: id)
        } catch let error as ContextError where error.code == .objectNotFound {
            return nil
        }
    }
}
