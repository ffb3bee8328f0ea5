import DuramenModel
import DuramenStore

// References from objects of one store to objects of another store of the same context.
extension ContextPart {
    /// Returns the object that another part has registered under an ID.
    func registeredElsewhere(_ id: ManagedObjectID) -> ManagedObject? {
        let id = currentID(of: id)
        for part in context.parts where part !== self {
            if let known = part.registeredHere(id) { return known }
        }
        return nil
    }

    /// Returns the present ID of an object of another part; the given ID if no part knows it.
    func currentIDElsewhere(_ id: ManagedObjectID) -> ManagedObjectID {
        if let alias = context.stores.aliases[id.key] { return alias }
        for part in context.parts where part !== self && !part.identity.permanentKeys.isEmpty {
            if let key = part.identity.permanentKey(for: id.key) {
                return part.identity.replacement(
                    for: ManagedObjectID(
                        store: part.handle.store, entity: id.entityHandle, key: key))
            }
        }
        // An unsaved object of the parent may refer to another store too.
        return parentPart?.context.main.currentIDElsewhere(id) ?? id
    }

    // MARK: - References

    /// Returns the ID by which objects of this part refer to an object. It is the object's own ID,
    /// or a temporary one if the object belongs to another store.
    func reference(to object: ManagedObject) -> ManagedObjectID {
        let isOwn = object.withPlan { $0.handle === handle }
        return isOwn ? object.objectID : reference(to: object.objectID)
    }

    /// Returns the ID by which objects of this part refer to an object with a present ID.
    func reference(to id: ManagedObjectID) -> ManagedObjectID {
        if id.isTemporaryID || id.store == handle.store { return id }
        return context.makeAlias(for: id)
    }

    /// Returns the entity of an object in this part's model: the nearest one that the model
    /// contains.
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

    /// Records a pair of objects of two stores, which no store accepts, in the source's part.
    func recordEdgeAcrossStores(
        _ relationship: Relationship, from source: ManagedObject, to destination: ManagedObject,
        isAdded: Bool
    ) {
        // Two stores' models may number relationships differently, but in the same order.
        var key = edgeKey(relationship, from: source, to: destination).key
        let plan = key.source.plan
        if let own = plan.toMany(named: model[key.relationship].name) { key.relationship = own.id }
        plan.handle.part(for: key.source).tracker.set(key, isAdded: isAdded)
        for end in [source, destination] { end.plan.handle.part(for: end).recordUpdate(of: end) }
    }
}
