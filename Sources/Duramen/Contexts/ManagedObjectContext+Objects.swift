public import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Returns the object that is registered under an ID, or nil. Loads nothing.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        main.registeredObject(for: id)
    }

    /// Returns the object that is registered under an ID, or nil if there is none or it has another
    /// class. Loads nothing.
    public func registeredObject<Object: ManagedObject>(
        for id: ManagedObjectID, as type: Object.Type
    ) -> Object? {
        registeredObject(for: id) as? Object
    }

    /// Returns the object with an ID, as a fault unless it is registered already. Loads nothing.
    ///
    /// Firing the fault fails if the object does not exist; see ``existingObject(with:)``. The ID
    /// must be of a store of the context's container, or a temporary ID of this context.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        requireOwner()
        noticeStores()
        guard hasStore(of: id), let object = main.registerFault(id) else {
            fatalError(
                "Duramen: \(id) is of another store than the context's, or of an entity that is not in "
                    + "its model. Use existingObject(with:) for IDs from elsewhere.")
        }
        return object
    }

    /// Returns the object of a class with an ID, as a fault unless it is registered already. Loads
    /// nothing.
    ///
    /// The ID must be of a store of the context's container and of an entity of that class.
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

    /// Returns the object with an ID, and loads its values if needed.
    ///
    /// - Throws: ``ContextError`` `.objectNotFound` if the object does not exist, `.unknownName` if
    ///   its entity does not, `.storeRemoved`, or the store's error.
    public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        requireOwner()
        noticeStores()
        let part = stores.hasOne ? main : part(of: main.currentID(of: id)) ?? main
        return try part.existingObject(with: id)
    }

    /// Returns the object of a class with an ID, and loads its values if needed.
    /// - Throws: ``ContextError`` `.invalidRequest` if the object has another class, or the errors
    ///   of ``existingObject(with:)``.
    public func existingObject<Object: ManagedObject>(
        with id: ManagedObjectID, as type: Object.Type
    ) throws -> Object {
        let object = try existingObject(with: id)
        // Sound: the object is of that very class.
        if Swift.type(of: object) == type { return unsafeDowncast(object, to: type) }
        guard let typed = object as? Object else {
            throw ContextError(
                .invalidRequest, "\(id) is of class \(Swift.type(of: object)), not \(type).",
                objectID: id)
        }
        return typed
    }

    /// All registered objects. The getter first releases objects that nothing refers to any more.
    public var registeredObjects: Set<ManagedObject> {
        requireOwner()
        trim()
        var objects: Set<ManagedObject> = []
        for part in parts {
            for table in part.tables { table.forEach { objects.insert($0) } }
        }
        return objects
    }

    /// Releases all objects that nothing refers to and that have no changes to save.
    public func trim() {
        for part in parts {
            for table in part.tables { table.sweep() }
        }
    }
}

extension ContextPart {
    /// Returns the object that is registered under an ID, here or in another part.
    func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        if let known = registeredHere(id) { return known }
        return isAlone ? nil : registeredElsewhere(id)
    }

    /// Returns the object with an ID of this part, and loads its values if needed.
    fileprivate func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        if isStoreRemoved { throw storeRemoved(id) }
        let entity = model.entityIndex(of: id)
        guard entity >= 0 else {
            if persistentStoreCoordinator.managedObjectModel.entity(of: id) != nil {
                throw ContextError.objectNotFound(id)
            }
            throw ContextError(
                .unknownName,
                "The model has no entity '\(id.entityName)'. Use the model that the ID came from.",
                objectID: id)
        }
        guard isOwn(id) else { throw ContextError.objectNotFound(id) }
        let key = currentKey(of: id)
        defer { awakeObjects() }
        if let known = find(key, entity: entity) {
            if known.words == nil { try lookUp(known) }
            if known.flags.contains(.gone) { throw ContextError.objectNotFound(id) }
            return known
        }
        countRoundTrip(RoundTrip(.lookUp, id.entityName, nil, id, 1))
        guard key > 0 || parentPart != nil,
            let row = try readSnapshot({ snapshot throws(StoreError) in
                try snapshot.row(
                    for: ManagedObjectID(store: handle.store, entity: id.entityHandle, key: key),
                    in: reading.singleRows)
            })
        else { throw ContextError.objectNotFound(id) }
        return register(row)
    }

    /// Returns the object of this part's store that is registered under an ID.
    func registeredHere(_ id: ManagedObjectID) -> ManagedObject? {
        let entity = model.entityIndex(of: id)
        guard entity >= 0, isOwn(id) else { return nil }
        return find(currentKey(of: id), entity: entity)
    }

    /// Returns the registered object with a key, of the entity with an index.
    @inline(__always) private func find(_ key: Int64, entity: Int) -> ManagedObject? {
        identity.borrowedPlans[entity].with { plan in
            plan.borrowedTable.with { $0.find(key) }
        }
    }

    /// Loads a fault that the caller asks for by ID. This is intentional, so it is allowed even if
    /// firing faults is forbidden or reported.
    private func lookUp(_ fault: ManagedObject) throws {
        guard roundTrips != nil else { return try fault.load() }
        try context.faulting(.allowed) { try fault.load() }
    }

    /// Whether an ID is of the context's store, or of an object that is not saved yet.
    func isOwn(_ id: ManagedObjectID) -> Bool {
        id.isTemporaryID || id.store == handle.store
    }

    /// Returns the present key of an object; see ``currentID(of:)``.
    @inline(__always) private func currentKey(of id: ManagedObjectID) -> Int64 {
        if !identity.replacedIDs.isEmpty { return currentID(of: id).key }
        return id.key > 0 || identity.permanentKeys.isEmpty
            ? id.key : identity.permanentKey(for: id.key) ?? id.key
    }

    /// Returns the present ID of an object. A temporary ID is replaced at the object's first save,
    /// and any ID when the object merges into another with the same unique values.
    func currentID(of id: ManagedObjectID) -> ManagedObjectID {
        let saved = savedID(of: id)
        return identity.replacedIDs.isEmpty ? saved : identity.replacement(for: saved)
    }

    @inline(__always) private func savedID(of id: ManagedObjectID) -> ManagedObjectID {
        guard id.isTemporaryID, !identity.permanentKeys.isEmpty,
            let key = identity.permanentKey(for: id.key)
        else {
            return !id.isTemporaryID || isAlone ? id : currentIDElsewhere(id)
        }
        return ManagedObjectID(store: handle.store, entity: id.entityHandle, key: key)
    }

    /// Returns the object with an ID, registered as a fault if needed; nil if the entity does not
    /// exist.
    func registerFault(_ id: ManagedObjectID) -> ManagedObject? {
        if isAlone { return registerFaultHere(id) }
        let id = currentID(of: id)
        return (context.part(of: id) ?? self).registerFaultHere(id)
    }

    /// Returns the object with an ID of this part's store, registered as a fault if needed.
    ///
    /// - Parameters:
    ///   - id: The object's ID.
    ///   - isExpected: Whether a new fault should join the group of faults that are loaded
    ///     together.
    @inline(__always)
    func registerFaultHere(_ id: ManagedObjectID, isExpected: Bool = true) -> ManagedObject? {
        guard let entity = model.entity(of: id) else { return nil }
        let id = currentID(of: id)
        let plan = plans[entity.id.index]
        if let known = plan.table.find(id.key) { return known }
        subscribe()
        let object = plan.objectClass.init(
            ManagedObjectRegistration(plan: plan, key: id.key, flags: plan.objectFlags))
        plan.table.insert(object, key: id.key)
        if isExpected { plan.table.expectFault(of: id) }
        return object
    }

    /// Returns the object of a stored row, and registers it if needed.
    ///
    /// A registered object keeps its values unless it is a fault, or is unchanged and to be
    /// refreshed.
    @discardableResult
    func register(_ row: Row, refreshing: Bool = false) -> ManagedObject {
        let words = UnsafeMutableRawPointer(mutating: row.unsafeWords)
        return identity.borrowedPlans[row.entityID.index].with { plan in
            plan.borrowedTable.with { table in
                if let known = table.find(row.key) {
                    meet(known, row, refreshing: refreshing)
                    return known
                }
                return make(row.key, words, of: row.storage, plan, table).taken()
            }
        }
    }

    /// Passes the objects of rows of one entity in one block to a closure; see
    /// ``register(_:refreshing:)``.
    ///
    /// - Parameters:
    ///   - positions: The indices of the rows in ``RowStorage/rowOffsets``.
    ///   - storage: The block.
    ///   - plan: The plan of the entity.
    ///   - refreshing: Whether unchanged registered objects get the values of their rows.
    ///   - body: Called with each object, in order.
    @inline(__always)
    func registerAll(
        _ positions: Range<Int>, of storage: RowStorage, _ plan: EntityPlan, refreshing: Bool,
        _ body: (CountedObject) -> Void
    ) {
        plan.borrowedTable.with { table in
            for position in positions {
                let words = storage.words(of: position)
                let key = Row.key(words)
                if let known = table.find(key) {
                    meet(known, Row(storage, unsafeWords: words), refreshing: refreshing)
                    body(CountedObject(known))
                } else {
                    body(make(key, words, of: storage, plan, table))
                }
            }
        }
    }

    /// Creates an object for a stored row and registers it.
    @inline(__always)
    private func make(
        _ key: Int64, _ words: UnsafeMutableRawPointer, of storage: RowStorage,
        _ plan: EntityPlan, _ table: ObjectTable
    ) -> CountedObject {
        let made = plan.objectClass.init(
            ManagedObjectRegistration(
                plan: plan, key: key, storage: .passUnretained(storage), words: words,
                flags: plan.objectFlags))
        if plan.hooks.contains(.awakeFromFetch) { queueFetched(made) }
        let counted = CountedObject(made)
        // Last, because the table takes ownership of the other reference.
        table.insert(made, key: key)
        return counted
    }

    /// Applies a stored row to its registered object: fills a fault, or refreshes an unchanged
    /// object.
    private func meet(_ known: ManagedObject, _ row: Row, refreshing: Bool) {
        if known.flags.contains(.gone) { return }
        if known.words == nil {
            queueFilled(known)
            known.realize(
                storage: row.storage, words: UnsafeMutableRawPointer(mutating: row.unsafeWords))
        } else if refreshing, !known.hasChanges {
            replaceValues(of: known, with: row)
            known.extra?.toManys.forEach { $0?.forgetStored() }
        }
    }

    /// Queues the fetch hook of a fault that gets its values.
    @inline(__always)
    func queueFilled(_ object: ManagedObject) {
        if object.overrides(.awakeFromFetch) { queueFetched(object) }
    }

    /// Returns the snapshot that this unit of work reads from.
    func currentSnapshot() throws(StoreError) -> any StoreSnapshot {
        if let snapshot = reading.snapshot, !reading.isStale { return snapshot }
        // Subscribes before the snapshot is taken, so that the context learns of every later save.
        let isFirstRead = subscribe()
        let source: any PersistentStore
        let made: any StoreSnapshot
        if isPinned {
            let pinned = try pinnedSnapshot()
            (source, made) = (pinned.store, pinned)
        } else {
            // The store of a child never changes.
            source = parentPart == nil ? connection.store : store
            made = try source.snapshot()
        }
        reading.keep(made, of: source)
        // Nothing was loaded yet that an earlier save could have changed.
        if isFirstRead { markMerged(upTo: made.generation) }
        scheduleEndOfUnit()
        return made
    }

    /// Runs a read on the snapshot of this unit of work. If the store has ended the snapshot
    /// because its lease expired, the whole read is repeated on the newest state. A pinned context
    /// gets the error instead.
    func readSnapshot<Result>(
        _ body: (any StoreSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try body(try currentSnapshot())
        } catch {
            guard error.code == .snapshotExpired, !isPinned else { throw error }
            reading.letGo()
            return try body(try currentSnapshot())
        }
    }
}
