public import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// The object that is registered under an ID; nil when there is none. Reads nothing.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        let entity = model.entityIndex(of: id)
        guard entity >= 0 else { return nil }
        if id.key > 0 { return id.store == handle.store ? tableByEntity[entity].find(id.key) : nil }
        return tableByEntity[entity].find(currentID(of: id).key)
    }

    /// The object of a class that is registered under an ID; nil when there is none, or it is of another
    /// class. Reads nothing.
    public func registeredObject<Object: ManagedObject>(
        for id: ManagedObjectID, as type: Object.Type
    ) -> Object? {
        registeredObject(for: id) as? Object
    }

    /// The object with an ID, as a fault unless it is registered already. Reads nothing.
    ///
    /// Reading a property fails when there is no such object; see ``existingObject(with:)``.
    /// The ID must be of the context's store, or a temporary one of this context.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        guard isOwn(id), let object = registerFault(id) else {
            fatalError(
                "Duramen: \(id) is of another store than the context's, or of an entity that is not in "
                    + "its model. Use existingObject(with:) for IDs from elsewhere.")
        }
        return object
    }

    /// The object with an ID, of a class, as a fault unless it is registered already. Reads nothing.
    ///
    /// The ID must be of the context's store and of an entity of that class.
    public func object<Object: ManagedObject>(
        with id: ManagedObjectID, as type: Object.Type
    ) -> Object {
        let object = object(with: id)
        guard let typed = object as? Object else {
            fatalError(
                "Duramen: \(id) is of class \(Swift.type(of: object)), not \(type). Use "
                    + "existingObject(with:as:) for IDs of classes that are not known.")
        }
        return typed
    }

    /// The object with an ID, with its values read.
    ///
    /// - Throws: ``ContextError`` `.objectNotFound` when there is none, or the store's error.
    public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        guard model.entity(of: id) != nil else {
            throw ContextError(
                .unknownName,
                "The model has no entity '\(id.entityName)'. Use the model that the ID came from.",
                objectID: id)
        }
        guard isOwn(id) else { throw ContextError.objectNotFound(id) }
        let id = currentID(of: id)
        if let known = registeredObject(for: id) {
            if known.words == nil { try known.load() }
            if known.flags.contains(.gone) { throw ContextError.objectNotFound(id) }
            return known
        }
        guard id.key > 0 else { throw ContextError.objectNotFound(id) }
        let batch = try readSnapshot { snapshot throws(StoreError) in try snapshot.rows(for: [id]) }
        guard batch.count == 1 else { throw ContextError.objectNotFound(id) }
        return register(batch[0])
    }

    /// The object with an ID, of a class.
    ///
    /// - Throws: ``ContextError`` `.objectNotFound` when there is none, `.invalidRequest` when it is of
    ///   another class, or the store's error.
    public func existingObject<Object: ManagedObject>(
        with id: ManagedObjectID, as type: Object.Type
    ) throws -> Object {
        let object = try existingObject(with: id)
        guard let typed = object as? Object else {
            throw ContextError(
                .invalidRequest, "\(id) is of class \(Swift.type(of: object)), not \(type).",
                objectID: id)
        }
        return typed
    }

    /// All registered objects. Those that nobody holds any more are forgotten first.
    public var registeredObjects: Set<ManagedObject> {
        trim()
        var objects: Set<ManagedObject> = []
        for table in tables { table.forEach { objects.insert($0) } }
        return objects
    }

    /// Forgets all objects that nobody holds and that have nothing to save.
    public func trim() {
        for table in tables { table.sweep() }
    }

    /// Whether an ID is of the context's store, or of an object that is not saved yet.
    private func isOwn(_ id: ManagedObjectID) -> Bool {
        id.isTemporaryID || id.store == handle.store
    }

    /// The ID that an object has now: a temporary one is replaced when its object is saved first.
    func currentID(of id: ManagedObjectID) -> ManagedObjectID {
        guard id.isTemporaryID, !permanentKeys.isEmpty, let key = permanentKeys[id.key] else {
            return id
        }
        return ManagedObjectID(store: handle.store, entity: id.entityHandle, key: key)
    }

    /// The object with an ID, registered as a fault if need be; nil without such an entity.
    func registerFault(_ id: ManagedObjectID) -> ManagedObject? {
        guard let entity = model.entity(of: id) else { return nil }
        let id = currentID(of: id)
        let plan = plans[entity.id.index]
        if let known = plan.table.find(id.key) { return known }
        let object = plan.objectClass.init(ManagedObjectRegistration(plan: plan, key: id.key))
        plan.table.insert(object, key: id.key)
        plan.table.expectFault(of: id)
        return object
    }

    /// The object of a stored row. A registered object keeps its values unless it is a fault.
    @discardableResult
    func register(_ row: Row) -> ManagedObject {
        let plan = plans[row.entityID.index]
        let words = UnsafeMutableRawPointer(mutating: row.unsafeWords)
        if let known = plan.table.find(row.key) {
            if known.words == nil, !known.flags.contains(.gone) {
                known.realize(storage: row.storage, words: words)
            }
            return known
        }
        let object = plan.objectClass.init(
            ManagedObjectRegistration(
                plan: plan, key: row.key, storage: .passUnretained(row.storage),
                words: words))
        plan.table.insert(object, key: row.key)
        return object
    }

    /// The state that reads of this unit of work see.
    func currentSnapshot() throws(StoreError) -> any StoreSnapshot {
        if let snapshot { return snapshot }
        let newest = persistentStoreCoordinator.store
        let made = try newest.snapshot()
        store = newest
        snapshot = made
        if !isPerforming { inbox.scheduleEndOfUnit() }
        return made
    }

    /// Reads from the state of this unit of work, or from the newest one when the store has ended that,
    /// because it was held for longer than its lease. Nothing that is read at once is of two states.
    func readSnapshot<Result>(
        _ body: (any StoreSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try body(try currentSnapshot())
        } catch {
            guard error.code == .snapshotExpired else { throw error }
            snapshot = nil
            return try body(try currentSnapshot())
        }
    }
}
