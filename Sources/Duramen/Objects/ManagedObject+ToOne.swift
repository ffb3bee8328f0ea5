import DuramenModel

extension ManagedObject {
    /// Returns the destination of a to-one, which may be a fault. Loads no destination.
    @inlinable
    public final func toOne<Destination: ManagedObject>(at slot: Int) -> Destination? {
        guard let object = destination(at: slot) else { return nil }
        // Sound: the object is of that very class.
        if type(of: object) == Destination.self {
            return unsafeDowncast(object, to: Destination.self)
        }
        // A container checks object classes against the model when it opens. So this can fail only
        // for a class that the model does not name, as with key-value access.
        return object as? Destination
    }

    /// Returns the destination of a to-one, as an object of any class.
    @usableFromInline final func destination(at slot: Int) -> ManagedObject? {
        reportRead(slot: slot)
        guard let words = words ?? wordsOfFault(slot) else { return nil }
        // The word of a null slot is 0, which is never a key. So the null bits, in another cache
        // line, need not be read.
        let key = words.load(fromByteOffset: slot &* 8, as: Int64.self)
        if key == 0 { return nil }
        if key > 0,
            let known = withPlan({ plan in
                plan.borrowedReferences.tables[slot]?.with {
                    $0.findDirect(key)
                }
            })
        {
            return known
        }
        return destinationElsewhere(slot, key: key)
    }

    /// Returns the destination if its key is not one of the many low keys.
    @inline(never)
    private final func destinationElsewhere(_ slot: Int, key: Int64) -> ManagedObject? {
        if key > 0,
            let known = withPlan({ plan in
                plan.borrowedReferences.tables[slot]?.with { $0.find(key) }
            })
        {
            return known
        }
        return plan.references[slot].flatMap { destinationToRegister($0, key: key) }
    }

    /// Runs a step with the destination of a to-one if it is found at once, without reference
    /// counting. Nil if there is none, or if a search is needed.
    @inline(__always)
    final func withKnownDestination<Result>(
        at slot: Int, _ body: (ManagedObject) -> Result?
    ) -> Result? {
        guard let words else { return nil }
        let key = words.load(fromByteOffset: slot &* 8, as: Int64.self)
        if key <= 0 { return nil }
        return withPlan { plan in
            plan.borrowedReferences.tables[slot]?.with { $0.findBorrowed(key)?.with(body) }
        }
    }

    /// Returns the destination of a to-one, as an object of any class.
    final func destination(of reference: ReferencePlan) -> ManagedObject? {
        destination(at: reference.slot)
    }

    private final func destinationToRegister(
        _ reference: ReferencePlan, key: Int64
    ) -> ManagedObject? {
        let part = plan.handle.part(for: self)
        guard let row = row ?? partialRow(with: reference.slot),
            let id = destinationID(of: reference, in: row)
        else { return nil }
        let object = part.registerFault(id)
        if key > 0, let object, object.words == nil, object.storage == nil {
            // Records where the fault was created: firing it loads its neighbours too.
            object.storage = originStorage
            object.origin = .toOne(slot: reference.slot)
        }
        return object
    }

    /// The block of rows that this object was fetched with.
    private final var originStorage: RowStorage? {
        extra?.base?.storage ?? storage
    }

    /// Returns the ID of a to-one's destination.
    final func destinationID(of reference: ReferencePlan, in row: Row) -> ManagedObjectID? {
        let handle = plan.handle
        guard let relationship = plan.relationship(forSlot: reference.slot) else { return nil }
        let id = row.destination(of: relationship, in: handle.model, store: handle.store)
        guard let id, id.isTemporaryID, let part = handle.livePart else { return id }
        return part.currentID(of: id)
    }

    /// Returns the ID of a to-one's destination before the edits.
    final func baseDestinationID(of reference: ReferencePlan) -> ManagedObjectID? {
        extra?.base.flatMap { destinationID(of: reference, in: $0) }
    }

    /// Sets the destination of a to-one, and updates the inverse.
    public final func setToOne<Destination: ManagedObject>(_ value: Destination?, at slot: Int) {
        // Sound: an optional reference is the object's address, or null.
        let object = unsafeBitCast(value, to: Unmanaged<ManagedObject>?.self).map(Borrowed.init)
        if connectAtOnce(to: object, at: slot) { return }
        guard let reference = plan.references[slot] else { return }
        setDestination(value, of: reference, updatesInverse: true)
    }

    /// Handles the frequent case; returns false for other cases. Unwrapping the object itself would
    /// retain it.
    // Sound: the caller keeps the object, and the plan what it refers to.
    private final func connectAtOnce(to object: Borrowed<ManagedObject>?, at slot: Int) -> Bool {
        guard let object, let reference = withPlan({ $0.borrowedReferences.plans[slot] }) else {
            return false
        }
        return object.with { value in
            reference.with { connectAtOnce(to: value, $0) }
        }
    }

    /// Handles the frequent case: a writable object without a destination gets one, of exactly the
    /// destination entity, and the inverse is a to-many. Returns false for other cases.
    @inline(__always)
    private final func connectAtOnce(to value: ManagedObject, _ reference: ReferencePlan) -> Bool {
        guard flags.intersection(.writing) == .writable, let words,
            let index = reference.inverseIndex,
            value.withPlan({ reference.leadsExactly(to: $0) }),
            value.flags.isDisjoint(with: [.gone, .deleted]),
            AttributeReader(words: words, object: self, slot: reference.slot).isNull
        else { return false }
        let writer = AttributeWriter(words: words, object: self, slot: reference.slot)
        writer.set(integer: value.key)
        if let entitySlot = reference.entitySlot {
            AttributeWriter(words: words, object: self, slot: entitySlot)
                .set(integer: Int64(value.plan.entity.id.index))
        }
        value.recordMember(objectID, at: index, isAdded: true)
        return true
    }

    /// Sets the destination of a to-one.
    final func setDestination(
        _ value: ManagedObject?, of reference: ReferencePlan, updatesInverse: Bool
    ) {
        let part = plan.handle.part(for: self)
        if let value {
            part.requireOwn(value, relatedTo: self)
            if value.flags.contains(.gone) {
                report(
                    faultError: ContextError.objectNotFound(
                        value.objectID, asDestinationOf: reference.relationship.name, of: objectID))
                return
            }
        }
        // A reference that another object takes over need not be taken from what is not there.
        let isTaken = value == nil && !updatesInverse
        if flags.contains(.gone) {
            if !isTaken { reportLostWrite(to: reference.relationship.name) }
            return
        }
        if words == nil { fireFault(mayBeMissing: isTaken) }
        guard let row else { return }
        let old = destinationID(of: reference, in: row)
        let new = value?.objectID
        if old == new { return }
        let destination = value.flatMap(part.ownEntity)
        if let value, destination?.isKind(of: reference.destination) != true {
            fatalError(
                "Duramen: \(value.objectID) cannot be the destination of "
                    + "'\(entity.name).\(reference.relationship.name)', which takes objects of "
                    + "'\(reference.destination.name)'.")
        }
        if !flags.contains(.writable) { guard becomeWritable() else { return } }
        telling(slot: reference.slot) {
            writeDestination(value.map(part.reference), entity: destination, of: reference)
        }
        guard updatesInverse else { return }
        // An object that referred to itself through its own inverse has the new destination
        // already.
        let isOwnSide = old == objectID && reference.inverse.id == reference.relationship.id
        if let old, !isOwnSide, let previous = part.registerFault(old) {
            previous.removeInverse(reference.inverse, to: self)
        }
        value?.addInverse(reference.inverse, to: self)
    }

    /// Writes the slots of a to-one.
    final func writeDestination(
        _ id: ManagedObjectID?, entity destination: Entity?, of reference: ReferencePlan
    ) {
        guard let row = mutableRow else { return }
        if let id {
            row.set(integer: id.key, at: reference.slot)
            if let slot = reference.entitySlot, let destination {
                row.set(integer: Int64(destination.id.index), at: slot)
            }
        } else {
            row.setNull(reference.slot)
            if let slot = reference.entitySlot { row.setNull(slot) }
        }
        // The order number was for the former owner.
        if let slot = reference.orderSlot { row.setNull(slot) }
    }

    /// Records on the inverse side that `object` now refers to this object.
    final func addInverse(_ inverse: Relationship, to object: ManagedObject) {
        switch plan.own(inverse)?.storage {
        case .toOne(let slot, _):
            guard let reference = plan.references[slot] else { return }
            let part = plan.handle.part(for: self)
            if words == nil { fireFault() }
            if let row, let other = destinationID(of: reference, in: row),
                other != object.objectID
            {
                part.registerFault(other)?.removeInverse(reference.inverse, to: self)
            }
            setDestination(object, of: reference, updatesInverse: false)
        case .inverseOfToOne(let index), .manyToMany(let index):
            recordMember(object.objectID, at: index, isAdded: true)
        case nil: break
        }
    }

    /// Records on the inverse side that `object` no longer refers to this object. An inverse to-one
    /// to another object is not changed.
    final func removeInverse(_ inverse: Relationship, to object: ManagedObject) {
        switch plan.own(inverse)?.storage {
        case .toOne(let slot, _):
            guard let reference = plan.references[slot] else { return }
            if words == nil { fireFault(reading: slot, mayBeMissing: true) }
            guard let row, destinationID(of: reference, in: row) == object.objectID else { return }
            setDestination(nil, of: reference, updatesInverse: false)
        case .inverseOfToOne(let index), .manyToMany(let index):
            recordMember(object.objectID, at: index, isAdded: false)
        case nil: break
        }
    }
}

extension EntityPlan {
    /// Returns the plan of a to-one; nil for a to-many.
    func reference(for relationship: Relationship) -> ReferencePlan? {
        own(relationship)?.slot.flatMap { references[$0] }
    }

    /// Returns the to-one in a slot, with this entity's slots.
    func relationship(forSlot slot: Int) -> Relationship? { references[slot]?.relationship }
}
