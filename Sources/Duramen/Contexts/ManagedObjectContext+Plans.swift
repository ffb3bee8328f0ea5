import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Traps if an object belongs to another context; the message names the purpose.
    func requireOwn(_ object: ManagedObject, for purpose: String) {
        main.requireOwn(object, for: purpose)
    }

    func registrationForInsert(of type: ManagedObject.Type) -> ManagedObjectRegistration {
        requireOwner()
        if !stores.hasOne { noticeStores() }
        if let plan = main.identity.lastPlan(ofClass: ObjectIdentifier(type)) {
            // Sound: the part keeps its plans.
            return plan.with { registrationForInsert(of: $0) }
        }
        let plan = plan(for: type)
        main.identity.cachePlan(plan, ofClass: ObjectIdentifier(type))
        return registrationForInsert(of: plan)
    }

    /// Returns the registration of a new object that the context will track.
    @inline(__always)
    func registrationForInsert(of plan: EntityPlan) -> ManagedObjectRegistration {
        let part = plan.handle === main.handle ? main : plan.handle.livePart
        return (part ?? main).registrationForInsert(of: plan)
    }

    /// Returns the plan of a class's entity, in the store that new objects go to.
    func plan(for type: ManagedObject.Type) -> EntityPlan {
        if stores.hasOne, type != ManagedObject.self,
            let plan = main.plans.first(where: { $0.objectClass == type })
        {
            return plan
        }
        let entities = persistentStoreCoordinator.managedObjectModel.entities
        let entity = entities.first { $0.managedObjectClass?.type == type }
        guard let entity, type != ManagedObject.self else {
            fatalError(
                "Duramen: the model has no entity of class \(type). Add the class to the model, or "
                    + "name the entity with init(entity:context:).")
        }
        return planForInserting(entity)
    }

    /// Returns the plan of an entity in the store that new objects go to, and checks the objects'
    /// class.
    func plan(for entity: Entity, as type: ManagedObject.Type) -> EntityPlan {
        requireOwner()
        let model = persistentStoreCoordinator.managedObjectModel
        guard model.entities.indices.contains(entity.id.index), model[entity.id] === entity else {
            fatalError(
                "Duramen: the entity '\(entity.name)' is of another model than the context's. Ask the "
                    + "context's model for it.")
        }
        if !stores.hasOne { noticeStores() }
        let plan = planForInserting(entity)
        guard plan.objectClass == type else {
            fatalError(
                "Duramen: objects of '\(entity.name)' are of class \(plan.objectClass), not \(type)."
            )
        }
        return plan
    }
}

extension ContextPart {
    /// Returns the registration of a new object that the context will track.
    func registrationForInsert(of plan: EntityPlan) -> ManagedObjectRegistration {
        var registration = registrationForDraft(of: plan)
        // Sound: the part makes the object at once.
        registration.newIn = Borrowed(self)
        return registration
    }

    /// Returns the registration of an object that the context will not track.
    @inline(__always)
    func registrationForDraft(of plan: EntityPlan) -> ManagedObjectRegistration {
        if plan.entity.isAbstract {
            fatalError(
                "Duramen: '\(plan.entity.name)' is abstract; insert one of its sub-entities.")
        }
        let key = identity.nextTemporaryKey()
        return plan.borrowedArena.with { arena in
            let words = Self.newRow(plan, key: key, in: arena)
            return plan.registrationForInsert(
                key: key, words: words, in: arena)
        }
    }

    /// Returns a row with the values of a new object.
    func newRow(_ plan: EntityPlan, key: Int64) -> MutableRow {
        plan.borrowedArena.with { arena in
            let words = Self.newRow(plan, key: key, in: arena)
            return MutableRow(
                storage: arena.currentBlock.takeUnretainedValue(), words: words)
        }
    }

    /// Copies the values of a new object into the current block of an arena.
    @inline(__always)
    private static func newRow(
        _ plan: EntityPlan, key: Int64, in arena: RowArena
    ) -> UnsafeMutableRawPointer {
        let words =
            plan.defaults.isFixed
            ? arena.copyFixed(
                plan.template, header: plan.defaults.headerBytes, slotCount: plan.layout.slotCount)
            : arena.copy(plan.template, layout: plan.layout).words
        Row.setKey(key, at: words)
        return words
    }

    func didInsert(_ object: ManagedObject) {
        subscribe()
        tracker.insertMade(object)
        let awakes = object.withPlan { plan in
            plan.borrowedTable.with {
                $0.insert(object, key: object.key)
            }
            return plan.hooks.contains(.awakeFromInsert)
        }
        if events != nil { recordInsertion(of: object) }
        if let undoRecorder { undoRecorder.recordInsertion(of: object) }
        if awakes { object.awakeFromInsert() }
    }

    func recordUpdate(of object: ManagedObject) {
        guard object.flags.isDisjoint(with: [.updated, .inserted]) else { return }
        if events != nil { recordChange(of: object) }
        tracker.update(object)
    }

    func recordEdge(
        _ relationship: Relationship, from source: ManagedObject, to destination: ManagedObject,
        isAdded: Bool
    ) {
        if destination.withPlan({ $0.handle !== handle }) {
            return recordEdgeAcrossStores(
                relationship, from: source, to: destination, isAdded: isAdded)
        }
        let edge = edgeKey(relationship, from: source, to: destination).key
        tracker.set(edge, isAdded: isAdded)
        recordUpdate(of: source)
        recordUpdate(of: destination)
    }

    /// Returns the key of a pair, and whether the key has source and destination swapped.
    func edgeKey(
        _ relationship: Relationship, from source: ManagedObject, to destination: ManagedObject
    ) -> (key: EdgeKey, isReversed: Bool) {
        let isReversed =
            relationship.isSelfInverse
            ? ObjectIdentifier(destination) < ObjectIdentifier(source)
            : relationship.inverse < relationship.id
        let key =
            isReversed
            ? EdgeKey(relationship: relationship.inverse, source: destination, destination: source)
            : EdgeKey(relationship: relationship.id, source: source, destination: destination)
        return (key, isReversed)
    }

    /// Traps if an object belongs to another context: the compiler cannot distinguish two contexts
    /// of one actor.
    func requireOwn(_ object: ManagedObject, relatedTo other: ManagedObject) {
        if !isOwn(object) {
            fatalError(
                "Duramen: \(object.objectID) of context '\(object.plan.handle.contextName)' cannot be "
                    + "related to \(other.objectID) of context '\(handle.contextName)'. Fetch it in "
                    + "that context by its objectID.")
        }
    }

    /// Whether an object belongs to this part, or to another part of the same context.
    @inline(__always)
    private func isOwn(_ object: ManagedObject) -> Bool {
        object.withPlan { $0.handle === handle }
            || !isAlone && object.registeringContext === context
    }

    func requireOwn(_ object: ManagedObject, for purpose: String) {
        if !isOwn(object) {
            fatalError(
                "Duramen: context '\(handle.contextName)' cannot \(purpose) \(object.objectID) of "
                    + "context '\(object.plan.handle.contextName)'.")
        }
    }
}
