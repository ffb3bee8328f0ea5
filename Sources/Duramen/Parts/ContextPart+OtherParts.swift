import DuramenModel
import DuramenStore

// References from objects of one store to objects of another store of the same context.
extension ContextPart {
    /// The object that another part has registered under an ID.
    func registeredElsewhere(_ id: ManagedObjectID) -> ManagedObject? {
        let id = currentID(of: id)
        for part in context.parts where part !== self {
            if let known = part.registeredHere(id) { return known }
        }
        return nil
    }

    /// The present ID of an object of another part; the same ID when no part knows it.
    func currentIDElsewhere(_ id: ManagedObjectID) -> ManagedObjectID {
        if let alias = context.stores.aliases[id.key] { return alias }
        for part in context.parts where part !== self && !part.identity.permanentKeys.isEmpty {
            if let key = part.identity.permanentKey(for: id.key) {
                return part.identity.replacement(
                    for: ManagedObjectID(
                        store: part.handle.store, entity: id.entityHandle, key: key))
            }
        }
        // An object that the parent has not saved may refer to another store too.
        return parentPart?.context.main.currentIDElsewhere(id) ?? id
    }

    // MARK: - References

    /// The ID that an object of this part keeps as a reference to another: that object's own ID, or
    /// a temporary one when it is of another store.
    func reference(to object: ManagedObject) -> ManagedObjectID {
        let isOwn = object.withPlan { $0.handle === handle }
        return isOwn ? object.objectID : reference(to: object.objectID)
    }

    /// The same for an ID that an object has now.
    func reference(to id: ManagedObjectID) -> ManagedObjectID {
        if id.isTemporaryID || id.store == handle.store { return id }
        return context.makeAlias(for: id)
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

    /// Notes a pair of objects of two stores, which no store takes, with the object that it is
    /// counted from.
    func recordEdgeAcrossStores(
        _ relationship: Relationship, from source: ManagedObject, to destination: ManagedObject,
        isAdded: Bool
    ) {
        // Numbers of relationships differ between the models of two stores, but not their order.
        var key = edgeKey(relationship, from: source, to: destination).key
        let plan = key.source.plan
        if let own = plan.toMany(named: model[key.relationship].name) { key.relationship = own.id }
        plan.handle.part(for: key.source).tracker.set(key, isAdded: isAdded)
        for end in [source, destination] { end.plan.handle.part(for: end).recordUpdate(of: end) }
    }
}
