import DuramenModel

// The changes of an object, with Core Data's methods.
extension ManagedObject {
    /// Whether a save of the object would write anything. True for a new object, and for one whose
    /// values or many-to-many pairs differ from the stored ones. False if values were set back, or
    /// only transient attributes changed.
    public final var hasPersistentChangedValues: Bool {
        if isInserted || flags.contains(.deleted) { return hasChanges }
        return !editedSlots.isEmpty || !editedPairs.isEmpty
    }

    /// Returns the properties that changed since the object was last saved or loaded, with their
    /// present values. For a new object, the changes since its insertion. Loads nothing.
    ///
    /// Attributes are as in ``value(forKey:)``, with nil for null. A to-one is an object, which may
    /// be a fault. A to-many is a ``ToMany``, which loads its members on access.
    public final func changedValues() -> [String: Any?] {
        guard let row else { return [:] }
        let base = isInserted ? plan.template : extra?.base
        var values = base.map { differences(of: row, from: $0, giving: row) } ?? [:]
        for (index, relationship) in plan.toManys.enumerated()
        where extra?.toManys.isEmpty == false && extra?.toManys[index]?.hasEdits == true {
            let members: ToMany<ManagedObject> = toMany(at: index)
            values[relationship.name] = members
        }
        return values
    }

    /// Returns the attributes and to-ones that changed in the present unit of work, with their
    /// previous values. ``ManagedObjectContext/processPendingChanges()`` and saves also start a new
    /// unit.
    ///
    /// A context tracks units from the first call on, or from its first observer or listener on;
    /// earlier changes are not included.
    public final func changedValuesForCurrentEvent() -> [String: Any?] {
        let events = plan.handle.part(for: self).context.ensureEvents()
        guard let row, let before = events.changed[self], !before.isNew, let old = before.row else {
            return [:]
        }
        return differences(of: row, from: old, giving: old)
    }

    /// Returns the values that the object had when it was last saved or loaded, by property name.
    /// For a new object the result is empty.
    ///
    /// - Parameter keys: Names of attributes and to-ones; nil for all. To-manys are left out, so
    ///   that no list is loaded.
    /// - Throws: ``ContextError`` `.unknownName`, or the error of loading the object.
    public final func committedValues(forKeys keys: [String]? = nil) throws -> [String: Any?] {
        for key in keys ?? [] where entity.property(named: key) == nil {
            throw unknownProperty(key)
        }
        if isInserted { return [:] }
        try load()
        guard let row = extra?.base ?? row else { return [:] }
        let all = values(of: row)
        return keys.map { keys in all.filter { keys.contains($0.key) } } ?? all
    }

    /// Whether the values of the object are in memory.
    public final var faultingState: FaultingState {
        flags.contains(.gone) ? .gone : words == nil ? .fault : .realized
    }

    /// Returns whether the members of a to-many are not loaded, or the destination of a to-one is a
    /// fault. Loads nothing.
    ///
    /// - Throws: ``ContextError`` `.unknownName`.
    public final func hasFault(forRelationshipNamed name: String) throws -> Bool {
        let relationship = try relationship(named: name)
        if let reference = plan.reference(for: relationship) {
            guard let row else { return true }
            guard let id = destinationID(of: reference, in: row) else { return false }
            return registeringContext?.registeredObject(for: id)?.isFault ?? true
        }
        guard let index = relationship.storage.toManyIndex, key > 0 else { return false }
        let states = extra?.toManys ?? []
        return states.isEmpty || states[index]?.isLoaded != true
    }

    /// Returns the IDs of a relationship's destinations. For an ordered to-many they are in its
    /// order; for a to-one there is at most one. Loads no destination.
    ///
    /// - Throws: ``ContextError`` `.unknownName`, or the error of loading the object or the
    ///   to-many.
    public final func objectIDs(
        forRelationshipNamed name: String
    ) throws -> [ManagedObjectID] {
        let relationship = try relationship(named: name)
        try load()
        if let reference = plan.reference(for: relationship) {
            reportRead(slot: reference.slot)
            return row.flatMap { destinationID(of: reference, in: $0) }.map { [$0] } ?? []
        }
        let index = relationship.storage.toManyIndex ?? 0
        if !ensureExtra().state(at: index).isLoaded {
            try plan.handle.part(for: self).fulfillToMany(of: self, at: index)
        }
        return members(at: index)
    }

    private final func relationship(named name: String) throws -> Relationship {
        guard case .relationship(let relationship)? = plan.entity.property(named: name) else {
            throw unknownProperty(name)
        }
        return relationship
    }

    // MARK: - Comparing rows

    /// Returns the values of one row for the slots in which two others differ.
    private final func differences(
        of row: Row, from other: Row, giving source: Row
    ) -> [String: Any?] {
        let kinds = plan.layout.kinds
        return values(of: source) { slot in !row.hasSameValue(slot, kinds[slot], as: other) }
    }

    /// Returns the values of attributes and to-ones in a row; values that cannot be decoded are
    /// left out.
    private final func values(
        of row: Row, where isWanted: (Int) -> Bool = { _ in true }
    ) -> [String: Any?] {
        var values: [String: Any?] = [:]
        for attribute in plan.entity.attributes where isWanted(attribute.slot) {
            if let value = try? Optional.some(swiftValue(of: attribute, in: row)) {
                values.updateValue(value, forKey: attribute.name)
            }
        }
        for reference in plan.toOnes
        where !reference.relationship.isHidden && isWanted(reference.slot) {
            let id = destinationID(of: reference, in: row)
            let object = id.flatMap { plan.handle.part(for: self).registerFault($0) }
            values.updateValue(object, forKey: reference.relationship.name)
        }
        return values
    }

    /// The many-to-many relationships with added or removed pairs.
    private final var editedPairs: [Relationship] {
        zip(plan.toManys, extra?.toManys ?? []).compactMap { relationship, state in
            guard case .manyToMany = relationship.storage, state?.hasEdits == true else {
                return nil
            }
            return relationship
        }
    }
}

/// The state of an object's values: in memory, to be loaded, or gone.
public enum FaultingState: Int, Sendable {
    /// The values are in memory.
    case realized = 0
    /// The values are loaded when the first property is read.
    case fault = 1
    /// The object was deleted, or its context was reset.
    case gone = 2
}
