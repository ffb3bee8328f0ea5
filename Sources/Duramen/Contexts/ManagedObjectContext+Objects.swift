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

    /// The object with an ID, as a fault unless it is registered already. Reads nothing.
    ///
    /// Reading a property fails when there is no such object; see ``existingObject(with:)``.
    /// The ID must be of a store of the context's container, or a temporary one of this context.
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

    /// The object with an ID, of a class, as a fault unless it is registered already. Reads
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

    /// The object with an ID, with its values read.
    ///
    /// - Throws: ``ContextError`` `.objectNotFound` when there is none, or the store's error.
    public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        requireOwner()
        noticeStores()
        let part = stores.hasOne ? main : part(of: main.currentID(of: id)) ?? main
        return try part.existingObject(with: id)
    }

    /// The object with an ID, of a class.
    ///
    /// - Throws: ``ContextError`` `.objectNotFound` when there is none, `.invalidRequest` when it
    ///   is of another class, or the store's error.
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

    /// All registered objects. Reading this first forgets objects that nothing refers to any more.
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
    /// The object that is registered under an ID, here or in another part.
    func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        if let known = registeredHere(id) { return known }
        return isAlone ? nil : registeredElsewhere(id)
    }

    /// The object with an ID of this part, with its values read.
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

    /// The object of this part's store that is registered under an ID.
    func registeredHere(_ id: ManagedObjectID) -> ManagedObject? {
        let entity = model.entityIndex(of: id)
        guard entity >= 0, isOwn(id) else { return nil }
        return find(currentKey(of: id), entity: entity)
    }

    /// The registered object with a key, of an entity by its index.
    @inline(__always) private func find(_ key: Int64, entity: Int) -> ManagedObject? {
        identity.borrowedPlans[entity].with { plan in
            plan.borrowedTable.with { $0.find(key) }
        }
    }

    /// Reads a fault that somebody asks for by its ID. That is on purpose, so it is allowed where
    /// faults are refused or reported.
    private func lookUp(_ fault: ManagedObject) throws {
        guard roundTrips != nil else { return try fault.load() }
        try context.faulting(.allowed) { try fault.load() }
    }

    /// Whether an ID is of the context's store, or of an object that is not saved yet.
    func isOwn(_ id: ManagedObjectID) -> Bool {
        id.isTemporaryID || id.store == handle.store
    }

    /// The key that an object has now, see ``currentID(of:)``.
    @inline(__always) private func currentKey(of id: ManagedObjectID) -> Int64 {
        if !identity.replacedIDs.isEmpty { return currentID(of: id).key }
        return id.key > 0 || identity.permanentKeys.isEmpty
            ? id.key : identity.permanentKey(for: id.key) ?? id.key
    }

    /// The ID that an object has now: a temporary one is replaced when its object is saved first,
    /// and any when the object became one with another one that has the same unique values.
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

    /// The object with an ID, registered as a fault if need be; nil without such an entity.
    func registerFault(_ id: ManagedObjectID) -> ManagedObject? {
        if isAlone { return registerFaultHere(id) }
        let id = currentID(of: id)
        return (context.part(of: id) ?? self).registerFaultHere(id)
    }

    /// The object with an ID of this part's store.
    ///
    /// - Parameter isExpected: Whether a new fault is likely to be read with those that are made
    ///   next.
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

    /// The object of a stored row, which is registered if need be.
    ///
    /// A registered object keeps its values unless it is a fault, or has no changes and is to be
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

    /// Hands on the objects of rows of one entity that share a block; see
    /// ``register(_:refreshing:)``.
    ///
    /// - Parameter positions: Where the rows stand in ``RowStorage/rowOffsets``.
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

    /// Makes an object of a stored row and registers it.
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
        // Last, since the table takes over the other reference.
        table.insert(made, key: key)
        return counted
    }

    /// A stored row meets an object that the context knows.
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

    /// Has a fault awake that is given its values.
    @inline(__always)
    func queueFilled(_ object: ManagedObject) {
        if object.overrides(.awakeFromFetch) { queueFetched(object) }
    }

    /// The state that reads of this unit of work see.
    func currentSnapshot() throws(StoreError) -> any StoreSnapshot {
        if let snapshot = reading.snapshot, !reading.isStale { return snapshot }
        // Before the snapshot is taken, so that the context hears of every later save.
        let isFirstRead = subscribe()
        let source: any PersistentStore
        let made: any StoreSnapshot
        if isPinned {
            let pinned = try pinnedSnapshot()
            (source, made) = (pinned.store, pinned)
        } else {
            // A child's never changes.
            source = parentPart == nil ? connection.store : store
            made = try source.snapshot()
        }
        reading.keep(made, of: source)
        // There was nothing that an earlier save could have changed.
        if isFirstRead { markMerged(upTo: made.generation) }
        scheduleEndOfUnit()
        return made
    }

    /// Reads from the state of this unit of work, or from the newest one when the store has ended
    /// that, because it was held for longer than its lease; a pinned context gets the error.
    /// Nothing that is read at once is of two states.
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
