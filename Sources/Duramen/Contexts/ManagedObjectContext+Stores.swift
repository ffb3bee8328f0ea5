import DuramenModel
import DuramenStore

// A context over several stores is made of parts. Each is what a context of one store is: it has that
// store's objects, changes, snapshot and inbox. What an application asks of the whole goes to the parts.
extension ManagedObjectContext {
    /// Makes parts for stores that were added to the container, and empties those of removed ones.
    @inline(__always)
    func noticeStores() {
        let count = persistentStoreCoordinator.changeCount
        // What has one store is no part of another one.
        if isPlain ? storeChangeCount != count : whole.storeChangeCount != count {
            whole.matchStores()
        }
    }

    @inline(never)
    private func matchStores() {
        let count = persistentStoreCoordinator.changeCount
        parentPart?.noticeStores()
        forgetRemovedStores()
        let known = parts.map { ObjectIdentifier($0.connection) }
        for connection in persistentStoreCoordinator.connections
        where !known.contains(ObjectIdentifier(connection)) {
            addPart(for: connection)
            isPlain = false
        }
        storeChangeCount = count
        identity.forgetClassPlan()
        events?.lists.note { $0.isEverything = true }
    }

    /// Makes the part for one more store.
    func addPart(for connection: StoreConnection) {
        let part = ManagedObjectContext(
            persistentStoreCoordinator, connection,
            ContextOptions(
                name: name, author: transactionAuthor,
                automaticallyMergesChangesFromParent: inbox.isMerging), partOf: self,
            childOf: parentPart?.part(of: connection))
        if let owner = inbox.owner { part.inbox.setOwner(owner) }
        part.isPerforming = isPerforming
        part.reading.show(reading.generation.ofNewStore)
        part.events = events
        if events != nil { part.subscribe() }
        part.roundTrips = roundTrips
        part.undoRecorder = undoRecorder
        if isObservable { part.beginObserving() }
        if undoRecorder != nil { part.beginTellingWrites() }
        others.append(part)
    }

    /// Empties the parts of stores that were removed from the container.
    func forgetRemovedStores() {
        let count = persistentStoreCoordinator.changeCount
        if isPlain ? storeChangeCount == count : whole.storeChangeCount == count { return }
        let whole = whole
        let connections = persistentStoreCoordinator.connections
        for part in parts
        where !part.isStoreRemoved && !connections.contains(where: { $0 === part.connection }) {
            part.forgetStore()
            whole.isPlain = false
        }
    }

    private func forgetStore() {
        events?.lists.note { $0.isEverything = true }
        let new = Array(tracker.inserted)
        forgetUndoSteps()
        withoutRecordingUndo { rollbackHere() }
        for object in new {
            events?.noteInvalidation(of: object)
            object.turnIntoFault()
        }
        forEachObject { object in
            events?.noteInvalidation(of: object)
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

    // MARK: - Which part

    /// The parts whose stores are there.
    var openParts: [ManagedObjectContext] { parts.filter { !$0.isStoreRemoved } }

    /// Whether an ID is of a store of the container, or of an object that is not saved yet.
    func hasStore(of id: ManagedObjectID) -> Bool {
        isOwn(id) || parts.contains { $0.isOwn(id) }
    }

    /// The other part that an ID belongs to; nil when it is of this one's store or of nobody's.
    ///
    /// - Parameter id: The ID that the object has now.
    func otherPart(of id: ManagedObjectID) -> ManagedObjectContext? {
        if !id.isTemporaryID {
            if id.store == handle.store, !isStoreRemoved { return nil }
            // A store that was removed and added again has its part last.
            let part = parts.last { $0.handle.store == id.store }
            return part === self ? nil : part
        }
        if registeredHere(id) != nil { return nil }
        if let part = parts.first(where: { $0 !== self && $0.registeredHere(id) != nil }) {
            return part
        }
        return partOfParent(knowing: id)
    }

    /// The object that another part has registered under an ID.
    func registeredElsewhere(_ id: ManagedObjectID) -> ManagedObject? {
        let id = currentID(of: id)
        for part in parts where part !== self {
            if let known = part.registeredHere(id) { return known }
        }
        return nil
    }

    /// The ID that stands for a temporary one in another part.
    func currentIDElsewhere(_ id: ManagedObjectID) -> ManagedObjectID {
        if let alias = whole.aliases[id.key] { return alias }
        for part in parts where part !== self && !part.identity.permanentKeys.isEmpty {
            if let key = part.identity.permanentKey(for: id.key) {
                return part.identity.replacement(
                    for: ManagedObjectID(
                        store: part.handle.store, entity: id.entityHandle, key: key))
            }
        }
        // What the parent did not save yet may lead to another store too.
        return parentPart?.whole.currentIDElsewhere(id) ?? id
    }

    // MARK: - References to other parts

    /// The ID by which an object of this part leads to an object: its own, or, when that is of another
    /// store, a temporary one.
    func reference(to object: ManagedObject) -> ManagedObjectID {
        if isPlain || object.plan.handle === handle { return object.objectID }
        return reference(to: object.objectID)
    }

    /// The same for an ID that an object has now.
    func reference(to id: ManagedObjectID) -> ManagedObjectID {
        if id.isTemporaryID || id.store == handle.store { return id }
        let alias = ManagedObjectID.temporary(entity: id.entityHandle)
        whole.aliases[alias.key] = id
        return alias
    }

    /// An object's entity in the model of this part: the nearest one that it has.
    func ownEntity(of object: ManagedObject) -> Entity? {
        let plan = object.plan
        if plan.handle === handle { return plan.entity }
        var entity: Entity? = plan.entity
        while let candidate = entity {
            if let own = model.entity(for: candidate.handle) { return own }
            entity = candidate.superentity.map { plan.handle.model[$0] }
        }
        return nil
    }

    /// Notes a pair of objects of two stores, which no store takes, with the object that it is counted from.
    func noteEdgeAcrossStores(
        _ relationship: Relationship, from source: ManagedObject, to destination: ManagedObject,
        isAdded: Bool
    ) {
        // Numbers of relationships differ between the models of two stores, but not their order.
        var key = edgeKey(relationship, from: source, to: destination).key
        let plan = key.source.plan
        if let own = plan.toMany(named: model[key.relationship].name) { key.relationship = own.id }
        plan.handle.context(for: key.source).tracker.set(key, isAdded: isAdded)
        for end in [source, destination] { end.plan.handle.context(for: end).noteUpdate(of: end) }
    }

    // MARK: - New objects

    /// The parts in the order in which new objects look for a place.
    var partsForInserting: [ManagedObjectContext] {
        let open = openParts
        return open.filter(\.connection.isWritable) + open.filter { !$0.connection.isWritable }
            + parts.filter(\.isStoreRemoved)
    }

    /// The plan of an entity of the container's model, in the store where new objects go.
    func planForInserting(_ entity: Entity) -> EntityPlan {
        for part in partsForInserting {
            if let own = part.model.entity(for: entity.handle) { return part.plans[own.id.index] }
        }
        fatalError(
            "Duramen: no store of the container keeps '\(entity.name)'. Add a store whose "
                + "configuration has the entity before inserting.")
    }
}
