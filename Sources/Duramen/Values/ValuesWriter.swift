public import DuramenModel

/// A writer that receives the values of ``ManagedValues`` for an object, and writes those that
/// differ.
public struct ValuesWriter {
    let edit: ValuesEdit

    /// Sets an attribute's value; nil for null.
    public func set<Value: AttributeValue>(_ value: Value?, at slot: Int) {
        guard let object = edit.target else {
            return edit.check(value?.storedValue ?? .null, Value.attributeType, at: slot)
        }
        if edit.differs(at: slot) { object.setAttribute(value, at: slot) }
    }

    /// Sets a composite's elements; nil for null.
    public func setComposite<Composite: CompositeValue>(_ value: Composite?, at slot: Int) {
        if let object = edit.target { return object.setComposite(value, at: slot) }
        for (position, element) in edit.storedElements(of: value, at: slot).enumerated() {
            edit.check(element, at: slot + position)
        }
    }

    /// Sets the value of a transformable attribute; nil for null.
    public func setCodable<Value: Codable & Sendable>(_ value: Value?, at slot: Int) {
        if let object = edit.target { return object.setCodable(value, at: slot) }
        do throws(CodingFailure) {
            guard let value else { return edit.check(.null, at: slot) }
            try edit.checkCodable(value, at: slot)
        } catch {
            edit.refuse(at: slot, error.problem)
        }
    }

    /// Sets a to-one by the ID of its destination; nil for no destination.
    public func setToOne(_ id: ManagedObjectID?, at slot: Int) {
        if edit.target == nil { edit.checkToOne(id, at: slot) } else { edit.writeToOne(at: slot) }
    }

    /// Sets a to-many by the IDs of its destinations.
    public func setToMany(_ ids: [ManagedObjectID], at index: Int) {
        if edit.target == nil {
            edit.checkToMany(ids, at: index)
        } else {
            edit.writeToMany(at: index)
        }
    }
}

@available(*, unavailable, message: "a writer is good for one object; pass the values")
extension ValuesWriter: Sendable {}

/// Applies values to an existing or new object.
///
/// The values are passed twice: first all are checked, so that nothing is written if one is
/// rejected.
final class ValuesEdit {
    /// The object to write to, after all values are checked.
    private(set) var target: ManagedObject?

    private let part: ContextPart
    private let plan: EntityPlan
    /// The existing object; nil if it is not created yet.
    private let object: ManagedObject?
    private let row: Row
    private var differing = SlotSet()
    private var destinations: [Int: ManagedObject] = [:]
    private var members: [Int: [ManagedObject]] = [:]
    private var failure: (any Error)?

    /// Compares values with an object.
    init(of object: ManagedObject) throws {
        try object.load()
        guard let row = object.row, !object.isDeleted, !object.flags.contains(.gone) else {
            throw ContextError.objectNotFound(object.objectID)
        }
        part = object.plan.handle.part(for: object)
        plan = object.plan
        self.object = object
        self.row = row
    }

    /// Compares values with the defaults of an entity.
    init(insertingInto plan: EntityPlan, in context: ManagedObjectContext) {
        part = plan.handle.livePart ?? context.main
        self.plan = plan
        object = nil
        row = plan.template
    }

    /// Checks values.
    ///
    /// - Throws: ``ContextError`` if a value is rejected.
    func check(_ values: some ManagedValues) throws {
        values.write(to: ValuesWriter(edit: self))
        if let failure { throw failure }
    }

    /// Writes values that were checked.
    func write(_ values: some ManagedValues, to object: ManagedObject) {
        target = object
        values.write(to: ValuesWriter(edit: self))
    }

    // MARK: - Checking

    fileprivate func differs(at slot: Int) -> Bool { differing.contains(slot) }

    fileprivate func check(_ value: StoredValue, _ type: AttributeType, at slot: Int) {
        if failure != nil || row.value(slot, plan.layout.kinds[slot]) == value { return }
        differing.insert(slot)
        if let problem = type.problem(with: value) { refuse(at: slot, problem) }
    }

    /// Checks a value of the type that the model declares.
    fileprivate func check(_ value: StoredValue, at slot: Int) {
        guard failure == nil, let type = attribute(at: slot)?.type else { return }
        check(value, type, at: slot)
    }

    /// Checks a value of a transformable attribute; a value stored in another form is equal.
    fileprivate func checkCodable<Value: Codable & Sendable>(
        _ value: Value, at slot: Int
    ) throws(CodingFailure) {
        let data = try plan.transformedTypes.encode(value, at: slot)
        if case .binary(let stored) = row.value(slot, plan.layout.kinds[slot]),
            plan.transformedTypes.isSame(value, data, as: stored, at: slot)
        {
            return
        }
        check(.binary(data), at: slot)
    }

    /// Returns the stored values of a composite's elements; empty if one is rejected.
    fileprivate func storedElements<Composite: CompositeValue>(
        of value: Composite?, at slot: Int
    ) -> [StoredValue] {
        if let stored = Composite.storedElements(of: value) { return stored }
        refuse(at: slot, "has an element that cannot be encoded as JSON")
        return []
    }

    private func attribute(at slot: Int) -> Attribute? {
        plan.entity.attributes.first { $0.slot == slot }
    }

    fileprivate func refuse(at slot: Int, _ problem: String) {
        refuse(attribute(at: slot)?.name ?? "slot \(slot)", problem)
    }

    fileprivate func checkToOne(_ id: ManagedObjectID?, at slot: Int) {
        guard failure == nil, let reference = plan.references[slot] else { return }
        let id = id.map(part.currentID)
        if id == object?.destinationID(of: reference, in: row) { return }
        differing.insert(slot)
        if let id { destinations[slot] = destination(id, of: reference.relationship) }
    }

    fileprivate func checkToMany(_ ids: [ManagedObjectID], at index: Int) {
        if failure != nil { return }
        let relationship = plan.toManys[index]
        let ids = ids.map(part.currentID)
        let old = object?.members(at: index) ?? []
        if relationship.isOrdered ? ids == old : Set(ids) == Set(old) { return }
        members[index] = ids.compactMap { destination($0, of: relationship) }
    }

    /// Returns the destination of a relationship, loaded if needed, because a caller with only an
    /// ID may not know that its object was deleted.
    private func destination(
        _ id: ManagedObjectID, of relationship: Relationship
    ) -> ManagedObject? {
        let wanted = part.model[relationship.destination]
        guard let entity = part.model.entity(of: id), entity.isKind(of: wanted) else {
            return refuse(relationship.name, "is not an object of '\(wanted.name)'")
        }
        guard id.isTemporaryID || part.context.hasStore(of: id) else {
            return refuse(relationship.name, "is of a store that the container does not have")
        }
        do {
            let found = try part.context.existingObject(with: id)
            if !found.isDeleted { return found }
            throw ContextError.objectNotFound(id)
        } catch {
            failure = failure ?? error
            return nil
        }
    }

    @discardableResult
    private func refuse(_ property: String, _ problem: String) -> ManagedObject? {
        let id = object?.objectID ?? plan.temporaryID
        failure = failure ?? ContextError.invalidValue(of: property, objectID: id, problem)
        return nil
    }

    // MARK: - Writing

    fileprivate func writeToOne(at slot: Int) {
        guard differing.contains(slot), let target, let reference = plan.references[slot] else {
            return
        }
        target.setDestination(destinations[slot], of: reference, updatesInverse: true)
    }

    fileprivate func writeToMany(at index: Int) {
        guard let objects = members[index], let target else { return }
        if plan.toManys[index].isOrdered {
            OrderedToMany(owner: target, index: index).replace(with: objects)
        } else {
            ToMany(owner: target, index: index).replace(with: objects)
        }
    }
}
