import DuramenModel
import DuramenStore

// The parts of a context, one for each store of its container, and which of them has an object.
extension ManagedObjectContext {
    /// Makes parts for stores that were added to the container, and empties those of removed ones.
    @inline(__always)
    func noticeStores() {
        if stores.changeCount != persistentStoreCoordinator.changeCount { matchStores() }
    }

    @inline(never)
    private func matchStores() {
        let count = persistentStoreCoordinator.changeCount
        parent?.noticeStores()
        forgetRemovedStores()
        let known = parts.map { ObjectIdentifier($0.connection) }
        for connection in persistentStoreCoordinator.connections
        where !known.contains(ObjectIdentifier(connection)) {
            addPart(for: connection)
            stores.hasOne = false
        }
        stores.changeCount = count
        main.identity.forgetClassPlan()
        events?.lists.record { $0.isEverything = true }
    }

    /// Makes the part for one more store.
    func addPart(for connection: StoreConnection) {
        let part = ContextPart(
            for: connection, of: persistentStoreCoordinator, name: name,
            isMerging: main.inbox.isMerging, childOf: parent?.part(of: connection))
        add(part)
        if let owner = main.inbox.owner { part.inbox.setOwner(owner) }
        part.reading.show(main.reading.generation.ofNewStore)
        if events != nil { part.subscribe() }
        if isObservable { part.beginObserving() }
        if undoRecorder != nil { part.beginTellingWrites() }
    }

    /// Empties the parts of stores that were removed from the container.
    func forgetRemovedStores() {
        if stores.changeCount == persistentStoreCoordinator.changeCount { return }
        let connections = persistentStoreCoordinator.connections
        for part in openParts where !connections.contains(where: { $0 === part.connection }) {
            part.forgetStore()
            stores.hasOne = false
        }
    }

    // MARK: - Which part

    /// The parts whose stores are there.
    var openParts: [ContextPart] { parts.filter { !$0.isStoreRemoved } }

    /// Whether an ID is of a store of the container, or of an object that is not saved yet.
    func hasStore(of id: ManagedObjectID) -> Bool { parts.contains { $0.isOwn(id) } }

    /// The part for a store; nil when there is none.
    func part(of connection: StoreConnection) -> ContextPart? {
        parts.first { $0.connection === connection }
    }

    /// The part for a store by its handle; nil when there is none.
    func part(for store: StoreHandle) -> ContextPart? {
        // A store that was removed and added again has its part last.
        parts.last { $0.handle.store == store }
    }

    /// The part that an ID belongs to; nil when it is of nobody's store.
    ///
    /// - Parameter id: The ID that the object has now.
    func part(of id: ManagedObjectID) -> ContextPart? {
        if !id.isTemporaryID { return part(for: id.store) }
        return parts.first { $0.registeredHere(id) != nil } ?? partOfParent(knowing: id)
    }

    /// The part whose counterpart in the parent, or further up, has registered an object.
    private func partOfParent(knowing id: ManagedObjectID) -> ContextPart? {
        guard let parent, let known = parent.part(of: parent.main.currentID(of: id)) else {
            return nil
        }
        return part(of: known.connection)
    }

    /// Makes a temporary ID by which objects of one store refer to an object of another store.
    func makeAlias(for id: ManagedObjectID) -> ManagedObjectID {
        let alias = ManagedObjectID.temporary(entity: id.entityHandle)
        stores.aliases[alias.key] = id
        return alias
    }

    // MARK: - New objects

    /// The parts in the order in which new objects look for a place.
    private var partsForInserting: [ContextPart] {
        let open = openParts
        return open.filter(\.connection.isWritable) + open.filter { !$0.connection.isWritable }
            + parts.filter(\.isStoreRemoved)
    }

    /// The plan of an entity of the container's model, in the store where new objects go.
    func planForInserting(_ entity: Entity) -> EntityPlan {
        if stores.hasOne { return main.plans[entity.id.index] }
        for part in partsForInserting {
            if let own = part.model.entity(for: entity.handle) { return part.plans[own.id.index] }
        }
        fatalError(
            "Duramen: no store of the container keeps '\(entity.name)'. Add a store whose "
                + "configuration has the entity before inserting.")
    }
}

extension ContextPart {
    /// Empties the part, whose store was removed from the container.
    fileprivate func forgetStore() {
        events?.lists.record { $0.isEverything = true }
        let new = Array(tracker.inserted)
        context.forgetUndoSteps()
        withoutRecordingUndo { rollback() }
        for object in new {
            events?.recordInvalidation(of: object)
            object.turnIntoFault()
        }
        forEachObject { object in
            events?.recordInvalidation(of: object)
            object.turnIntoFault()
        }
        forgetObjects()
        if let unresolved = savePhase.unresolved { connection.forget(unresolved.save) }
        savePhase.move(to: .idle)
        isStoreRemoved = true
    }

    func storeRemoved(_ id: ManagedObjectID) -> ContextError {
        ContextError(
            .storeRemoved,
            "The store of \(id), '\(connection.name)', was removed from the container. Discard the "
                + "object, or add the store again and fetch the object again.", objectID: id)
    }
}
