import DuramenModel
import DuramenStore

// The parts of a context: one for each store of its container.
extension ManagedObjectContext {
    /// Adds parts for stores that were added to the container, and empties the parts of removed
    /// stores.
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

    /// Creates the part for an additional store.
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

    /// The parts whose stores were not removed.
    var openParts: [ContextPart] { parts.filter { !$0.isStoreRemoved } }

    /// Whether an ID is of a store of the container, or of an object that is not saved yet.
    func hasStore(of id: ManagedObjectID) -> Bool { parts.contains { $0.isOwn(id) } }

    /// Returns the part for a store; nil if there is none.
    func part(of connection: StoreConnection) -> ContextPart? {
        parts.first { $0.connection === connection }
    }

    /// Returns the part for a store by its handle; nil if there is none.
    func part(for store: StoreHandle) -> ContextPart? {
        // If a store was removed and added again, its present part is the last.
        parts.last { $0.handle.store == store }
    }

    /// Returns the part that an ID belongs to; nil if it is not of a store of the container.
    ///
    /// - Parameter id: The present ID of the object.
    func part(of id: ManagedObjectID) -> ContextPart? {
        if !id.isTemporaryID { return part(for: id.store) }
        return parts.first { $0.registeredHere(id) != nil } ?? partOfParent(knowing: id)
    }

    /// Returns the part for the store in which an ancestor has registered an object.
    private func partOfParent(knowing id: ManagedObjectID) -> ContextPart? {
        guard let parent, let known = parent.part(of: parent.main.currentID(of: id)) else {
            return nil
        }
        return part(of: known.connection)
    }

    /// Creates a temporary ID by which objects of one store refer to an object of another store.
    func makeAlias(for id: ManagedObjectID) -> ManagedObjectID {
        let alias = ManagedObjectID.temporary(entity: id.entityHandle)
        stores.aliases[alias.key] = id
        return alias
    }

    // MARK: - New objects

    /// The parts in the order in which they are considered for new objects.
    private var partsForInserting: [ContextPart] {
        let open = openParts
        return open.filter(\.connection.isWritable) + open.filter { !$0.connection.isWritable }
            + parts.filter(\.isStoreRemoved)
    }

    /// Returns the plan of an entity of the container's model, in the store that new objects go to.
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
    /// Empties the part after its store was removed from the container.
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
