public import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Sets the store that a new object is saved to. Without it, the object goes to the first
    /// writable store that contains its entity.
    ///
    /// The object keeps its values. When it is saved, objects that it refers to must be in the same
    /// store.
    /// - Throws: ``ContextError`` `.unknownStore`. `.invalidRequest` if the object is not new or
    ///   has its permanent ID, or if the store does not accept its entity. If the call throws, the
    ///   object stays assigned as it was.
    public func assign(_ object: ManagedObject, to store: StoreHandle) throws {
        requireOwner()
        requireOwn(object, for: "assign")
        noticeStores()
        guard object.key < 0, object.flags.contains(.inserted), !object.flags.contains(.deleted)
        else {
            throw ContextError(
                .invalidRequest,
                "\(object.objectID) is not new, or has its permanent ID, so its store is settled. "
                    + "Assign objects right after inserting them.", objectID: object.objectID)
        }
        guard let target = openParts.first(where: { $0.handle.store == store }) else {
            throw ContextError(
                .unknownStore,
                "\(object.objectID) cannot be assigned to a store that the container does not have. Ask "
                    + "the container for its stores.", objectID: object.objectID)
        }
        let origin = object.plan.handle.part(for: object)
        if origin === target { return }
        guard target.connection.isWritable,
            let entity = target.model.entity(for: object.plan.entity.handle)
        else {
            throw ContextError(
                .invalidRequest,
                "The store '\(target.connection.name)' does not take \(object.objectID): it is opened "
                    + "for reading only, or with a configuration without '\(object.entity.name)'. "
                    + "Choose another one.", objectID: object.objectID)
        }
        origin.move(object, to: target, target.plans[entity.id.index])
    }
}

extension ContextPart {
    fileprivate func move(
        _ object: ManagedObject, to target: ContextPart, _ plan: EntityPlan
    ) {
        object.plan.table.remove(object.key)
        let old = object.plan.toManys
        object.become(plan, target.row(of: object, plan))
        if let states = object.extra?.toManys, !states.isEmpty {
            object.extra?.toManys = plan.toManys.map { own in
                old.firstIndex { StoredText($0.name) == StoredText(own.name) }.flatMap {
                    states[$0]
                }
            }
        }
        target.tracker.takeOver(object, from: &tracker)
        plan.table.insert(object, key: object.key)
        for (edge, isAdded) in tracker.edges where edge.source === object {
            tracker.forget(edge)
            var moved = edge
            if let own = plan.toMany(named: model[edge.relationship].name) {
                moved.relationship = own.id
            }
            target.tracker.set(moved, isAdded: isAdded)
        }
    }

    /// Returns a row of this part with the values that an object has in another part.
    private func row(of object: ManagedObject, _ plan: EntityPlan) -> MutableRow {
        var own = arena.copy(plan.template, layout: plan.layout)
        Row.setKey(object.key, at: own.words)
        // A new object always has a row.
        guard let row = object.row else { return own }
        // An attribute has the same slot in every model that contains it.
        for attribute in plan.entity.attributes {
            arena.copyValue(of: attribute.slot, from: row, to: &own, layout: plan.layout)
        }
        for reference in plan.toOnes {
            // A hidden relationship may have another slot in another model.
            let name = StoredText(reference.relationship.name)
            let old = object.plan.toOnes.first { StoredText($0.relationship.name) == name }
            guard let id = old.flatMap({ object.destinationID(of: $0, in: row) }) else { continue }
            own.set(integer: self.reference(to: id).key, at: reference.slot)
            if let slot = reference.entitySlot {
                let entity = model.entity(of: id) ?? reference.destination
                own.set(integer: Int64(entity.id.index), at: slot)
            }
        }
        return own
    }
}
