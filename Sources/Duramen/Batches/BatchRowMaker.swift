import DuramenModel
import DuramenQuery
import DuramenStore

/// Fills the rows of a batch insertion; caches the names and natural keys that it resolved.
// Sound: unchecked exclusivity, since it is used in one isolation, and no access calls out.
@usableFromInline final class BatchRowMaker {
    /// A key path and the slot of its attribute, or -1 if it is not an attribute with a slot.
    @usableFromInline struct KnownPath {
        /// Retained so that no other key path can have its address.
        let path: AnyKeyPath
        @usableFromInline let identity: ObjectIdentifier
        @usableFromInline let slot: Int

        init(_ path: AnyKeyPath, slot: Int) {
            self.path = path
            identity = ObjectIdentifier(path)
            self.slot = slot
        }
    }

    /// The property that a value is for.
    private enum Target {
        case attribute(Attribute)
        /// A composite attribute, or an element that is itself a composite.
        case composite(CompositeAttribute)
        /// A to-one, set by the ID of its destination.
        case toOne(ReferencePlan)
        /// A to-one, set by an attribute of its destination.
        case naturalKey(ReferencePlan, NaturalKeys)
        /// An unordered many-to-many, set by the IDs of its destinations.
        case toMany(Relationship)
        /// An unordered many-to-many, set by an attribute of its destinations.
        case naturalKeys(Relationship, NaturalKeys)
    }

    /// The object that is reused for every row.
    @usableFromInline let object: ManagedObject
    private let part: ContextPart
    /// The context that executes the request; maps temporary IDs to the present ones.
    private let requester: ManagedObjectContext
    private let plan: EntityPlan
    private let takesNull: Bool
    private let mandatorySlots: [Int]
    private var targets: [StoredText: Target] = [:]
    /// The key paths set so far, in the order in which rows are usually filled.
    @exclusivity(unchecked) @usableFromInline var paths: ContiguousArray<KnownPath> = []
    /// The target of each key path.
    @exclusivity(unchecked) private var pathTargets: ContiguousArray<Target> = []
    /// For to-ones, destinations that were checked before.
    @exclusivity(unchecked) private var checked: ContiguousArray<CheckedDestinations?> = []
    /// By the position of a relationship's key path: the attribute last used to find destinations.
    private var keyTargets: [Int: (attribute: AnyKeyPath, target: Target)] = [:]
    /// IDs that were looked up and found. The batch reads a fixed state, so they stay valid.
    private var storedIDs: Set<ManagedObjectID> = []
    /// The many-to-many destinations of the row.
    private var destinations: [BatchInsertion.Destination] = []
    /// The index where the next key path probably is.
    @exclusivity(unchecked) @usableFromInline var nextPath = 0
    @exclusivity(unchecked) @usableFromInline var given = SlotSet()
    /// The first error of a setter.
    private var failure: (any Error)?
    private var snapshot: (any StoreSnapshot)?
    private let store: any PersistentStore

    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - part: The part of a private context without changes.
    ///   - requester: The context that executes the request.
    ///   - store: The store that the rows are inserted into.
    ///   - takesNull: Whether a null counts as a given value.
    init(
        of entity: Entity, in part: ContextPart, for requester: ManagedObjectContext,
        store: any PersistentStore, takesNull: Bool
    ) {
        self.part = part
        self.requester = requester
        self.store = store
        self.takesNull = takesNull
        plan = part.plans[entity.id.index]
        object = plan.objectClass.init(part.registrationForDraft(of: plan))
        mandatorySlots = entity.attributes.filter { attribute in
            !attribute.isOptional
                && !entity.composites.contains {
                    $0.slots.contains(attribute.slot) && $0.isOptional
                }
        }.map(\.slot)
    }

    private var entity: Entity { plan.entity }

    // MARK: - One row

    /// Makes the next row of a request.
    func next(
        key: Int64, _ snapshot: any StoreSnapshot, fill: (BatchRowMaker) throws -> Bool
    ) throws -> BatchInsertion.NewRow? {
        self.snapshot = snapshot
        nextPath = 0
        object.adopt(part.newRow(plan, key: key))
        object.key = key
        given = SlotSet()
        destinations = []
        guard try fill(self), let row = object.row else { return nil }
        if let failure { throw failure }
        if object.hasExtra, let error = object.faultError { throw error }
        for slot in mandatorySlots where row.isNull(slot) { throw missing(slot) }
        if !takesNull {
            for slot in given.slots where row.isNull(slot) { given.remove(slot) }
        }
        return BatchInsertion.NewRow(row, givenSlots: given, destinations: destinations)
    }

    private func missing(_ slot: Int) -> ContextError {
        let name = entity.attributes.first { $0.slot == slot }?.name ?? ""
        return ContextError(
            .missingMandatoryValue,
            "A batch insertion gives no value to '\(entity.name).\(name)', which is mandatory. Give it one, or a "
                + "default in the model.", objectID: object.objectID)
    }

    /// Records the attributes that a handler set on the object, and throws if it set relationships.
    func checkHandled() throws {
        guard let row = object.row else { return }
        let isRelated =
            plan.toOnes.contains { !row.isNull($0.slot) } || !part.tracker.touched.isEmpty
            || !part.tracker.edges.isEmpty
        if isRelated {
            throw ContextError(
                .invalidRequest,
                "The handler of a batch insertion related an object of '\(entity.name)' to others, which would be "
                    + "lost. Insert rows or dictionaries that name a to-one's destination, or objects in a part."
            )
        }
        for (slot, kind) in plan.layout.kinds.enumerated()
        where !row.hasSameValue(slot, kind, as: plan.template) {
            given.insert(slot)
        }
    }

    // MARK: - Dictionaries

    /// Sets the values of a dictionary.
    func set(_ values: [String: any Sendable]) throws {
        for (name, value) in values { try set(value, at: target(name)) }
    }

    private func set(_ value: any Sendable, at target: Target) throws {
        // The value may itself be an optional without a value.
        let value: Any? = (value as Any?).flattened
        switch target {
        case .attribute(let attribute):
            given.insert(attribute.slot)
            try object.set(object.storedValue(value, of: attribute), of: attribute)
        case .composite(let composite):
            for slot in composite.slots { given.insert(slot) }
            try object.setValue(value, forKey: composite.name)
        case .toOne(let reference):
            guard let value else { return setReference(nil, reference) }
            guard let id = value as? ManagedObjectID ?? (value as? ManagedObject)?.objectID else {
                throw noDestination(reference.relationship)
            }
            try setChecked(requester.answeredID(of: id), reference)
        case .naturalKey(let reference, let keys):
            guard let value else { return setReference(nil, reference) }
            let stored = try object.storedValue(value, of: keys.attribute)
            setReference(try destination(stored, keys), reference)
        case .toMany(let relationship):
            let ids = try elements(value, of: relationship).map { element in
                guard let id = element as? ManagedObjectID ?? (element as? ManagedObject)?.objectID
                else { throw noDestination(relationship) }
                return id
            }
            try setDestinations(ids, of: relationship)
        case .naturalKeys(let relationship, let keys):
            let values = try elements(value, of: relationship).map {
                try object.storedValue($0, of: keys.attribute)
            }
            try setDestinations(values, of: relationship, by: keys)
        }
    }

    /// The elements of an array or a set; none for nil.
    private func elements(_ value: Any?, of relationship: Relationship) throws -> [Any] {
        switch value {
        case nil: return []
        case let array as [Any]: return array
        case let set as Set<AnyHashable>: return set.map(\.base)
        default: throw noDestination(relationship)
        }
    }

    // MARK: - Key paths

    /// Sets the value of an attribute.
    @inlinable @inline(__always)
    func set<Value: AttributeValue>(_ value: Value?, at path: AnyKeyPath) {
        let slot = slot(of: path)
        guard slot >= 0, let words = object.words else { return }
        given.insert(slot)
        let writer = AttributeWriter(words: words, object: object, slot: slot)
        if let value { value.write(to: writer) } else { writer.setNull() }
    }

    /// The slot of an attribute; -1 and a recorded error for any other property.
    @inlinable @inline(__always) func slot(of path: AnyKeyPath) -> Int {
        // A key path literal is one object, however often it is evaluated.
        if nextPath < paths.count, paths[nextPath].identity == ObjectIdentifier(path) {
            defer { nextPath += 1 }
            return paths[nextPath].slot
        }
        return findSlot(of: path)
    }

    @usableFromInline @inline(never) func findSlot(of path: AnyKeyPath) -> Int {
        var slot = -1
        attempt {
            guard case .attribute(let attribute) = pathTargets[try position(of: path)] else {
                throw unknown("\(path)")
            }
            slot = attribute.slot
        }
        return slot
    }

    /// Returns the index of a key path in `paths`; adds it if it is missing.
    private func position(of path: AnyKeyPath) throws -> Int {
        if nextPath < paths.count, paths[nextPath].identity == ObjectIdentifier(path) {
            nextPath += 1
            return nextPath - 1
        }
        // A key path that is created at each use, as in generic code, is equal but not identical.
        if let position = paths.firstIndex(where: { $0.path == path }) {
            nextPath = position + 1
            return position
        }
        let target = try target(name(of: path, in: plan.objectClass))
        var slot = -1
        if case .attribute(let attribute) = target { slot = attribute.slot }
        paths.append(KnownPath(path, slot: slot))
        pathTargets.append(target)
        checked.append(nil)
        nextPath = paths.count
        return nextPath - 1
    }

    private func name(of path: AnyKeyPath, in type: ManagedObject.Type) throws -> String {
        guard let name = type.propertyName(for: path) else { throw unknown("\(path)") }
        return name
    }

    private func toOne(at path: AnyKeyPath) throws -> ReferencePlan {
        guard case .toOne(let reference) = pathTargets[try position(of: path)] else {
            throw unknown("\(path)")
        }
        return reference
    }

    /// Sets a to-one by the ID of its destination.
    func setDestination(_ id: ManagedObjectID?, at path: AnyKeyPath) {
        if let id, nextPath < paths.count, paths[nextPath].identity == ObjectIdentifier(path),
            let entity = checked[nextPath]?.entity(of: id)
        {
            setReference((id.key, entity), at: nextPath)
            nextPath += 1
            return
        }
        attempt {
            let reference = try toOne(at: path)
            let position = nextPath - 1
            let id = id.map(requester.answeredID)
            try setChecked(id, reference)
            guard let id, let entity = part.model.entity(of: id) else { return }
            if checked[position] == nil { checked[position] = CheckedDestinations(reference) }
            checked[position]?.record(id, of: entity.id)
        }
    }

    /// Sets a to-one by an attribute of its destination.
    func setDestination(
        _ value: StoredValue?, of destination: ManagedObject.Type, at path: AnyKeyPath,
        by attribute: AnyKeyPath
    ) {
        attempt {
            guard
                case .naturalKey(let reference, let keys) = try target(
                    of: attribute, of: destination, behind: path)
            else { throw unknown("\(path)") }
            setReference(try value.map { try self.destination($0, keys) }, reference)
        }
    }

    /// Returns the target for an attribute of a relationship's destination.
    private func target(
        of attribute: AnyKeyPath, of destination: ManagedObject.Type, behind path: AnyKeyPath
    ) throws -> Target {
        let position = try position(of: path)
        if let known = keyTargets[position], known.attribute == attribute { return known.target }
        let names = try [
            name(of: path, in: plan.objectClass), name(of: attribute, in: destination),
        ]
        let target = try target(names.joined(separator: "."))
        keyTargets[position] = (attribute, target)
        return target
    }

    /// Sets a many-to-many by the IDs of its destinations.
    func setDestinations(_ ids: [ManagedObjectID], at path: AnyKeyPath) {
        attempt {
            guard case .toMany(let relationship) = pathTargets[try position(of: path)] else {
                throw unknown("\(path)")
            }
            try setDestinations(ids, of: relationship)
        }
    }

    /// Sets a many-to-many by an attribute of its destinations.
    func setDestinations(
        _ values: [StoredValue], of destination: ManagedObject.Type, at path: AnyKeyPath,
        by attribute: AnyKeyPath
    ) {
        attempt {
            guard
                case .naturalKeys(let relationship, let keys) = try target(
                    of: attribute, of: destination, behind: path)
            else { throw unknown("\(path)") }
            try setDestinations(values, of: relationship, by: keys)
        }
    }

    /// Returns the destinations of a many-to-many.
    func destinations(at path: AnyKeyPath) -> [ManagedObjectID] {
        guard let position = try? position(of: path),
            case .toMany(let relationship) = pathTargets[position]
        else { return [] }
        return destinations.filter { $0.relationship == relationship.id }.map(\.id)
    }

    /// Returns the destination of a to-one.
    func destination(at path: AnyKeyPath) -> ManagedObjectID? {
        guard let reference = try? toOne(at: path), let row = object.row else { return nil }
        return row.destination(
            of: reference.relationship, in: part.model, store: store.handle)
    }

    /// Sets a property by name.
    func set(_ value: (any Sendable)?, forKey name: String) throws {
        try set(value as any Sendable, at: target(name))
    }

    /// Keeps the first error until the row is finished, because setters cannot throw.
    private func attempt(_ body: () throws -> Void) {
        if failure != nil { return }
        do { try body() } catch { failure = error }
    }

    // MARK: - Names

    private func target(_ name: String) throws -> Target {
        let key = StoredText(name)
        if let known = targets[key] { return known }
        let target = try resolve(name)
        targets[key] = target
        return target
    }

    private func resolve(_ name: String) throws -> Target {
        switch entity.property(named: name) {
        case .attribute(let attribute)? where attribute.derivation == nil:
            return .attribute(attribute)
        case .relationship(let relationship)?:
            if let reference = toOne(relationship) { return .toOne(reference) }
            if isOfPairs(relationship) { return .toMany(relationship) }
        case .attribute?, nil:
            if let composite = entity.composite(named: name) { return .composite(composite) }
            let steps = name.split(separator: ".", maxSplits: 1).map(String.init)
            if steps.count == 2,
                case .relationship(let relationship)? = entity.property(named: steps[0]),
                case let destination = part.model[relationship.destination],
                case .attribute(let attribute)? = destination.property(named: steps[1]),
                attribute.codableType == nil
            {
                let keys = NaturalKeys(attribute, of: destination)
                if let reference = toOne(relationship) { return .naturalKey(reference, keys) }
                if isOfPairs(relationship) { return .naturalKeys(relationship, keys) }
            }
        }
        throw unknown(name)
    }

    private func unknown(_ name: String) -> ContextError {
        ContextError(
            .unknownName,
            "A batch insertion sets no '\(entity.name).\(name)'. Use stored attributes that are not derived, to-ones "
                + "whose inverse is a to-many, unordered many-to-manys, and their attributes.")
    }

    /// Whether a relationship is an unordered many-to-many, which is stored as pairs.
    private func isOfPairs(_ relationship: Relationship) -> Bool {
        let ends = [relationship, part.model[relationship.inverse]]
        return ends.allSatisfy { $0.isToMany && !$0.isOrdered }
    }

    /// Returns the plan of a to-one that no other row stores; nil for other relationships.
    private func toOne(_ relationship: Relationship) -> ReferencePlan? {
        plan.toOnes.first { $0.relationship.id == relationship.id && $0.inverse.isToMany }
    }

    // MARK: - Destinations

    /// Sets a many-to-many by IDs that may be of other stores or entities.
    private func setDestinations(
        _ ids: [ManagedObjectID], of relationship: Relationship
    ) throws {
        let destination = part.model[relationship.destination]
        destinations.removeAll { $0.relationship == relationship.id }
        for id in ids.map(requester.answeredID) {
            guard try isStored(id, destination) else { throw noDestination(relationship) }
            destinations.append(.init(relationship.id, id))
        }
    }

    private func setDestinations(
        _ values: [StoredValue], of relationship: Relationship, by keys: NaturalKeys
    ) throws {
        destinations.removeAll { $0.relationship == relationship.id }
        for value in values {
            let (key, entity) = try destination(value, keys)
            let id = ManagedObjectID(
                store: store.handle, entity: part.model[entity].handle, key: key)
            destinations.append(.init(relationship.id, id))
        }
    }

    /// Whether an ID refers to a stored object of an entity.
    private func isStored(_ id: ManagedObjectID, _ entity: Entity) throws -> Bool {
        guard let own = part.model.entity(of: id), own.isKind(of: entity), !id.isTemporaryID,
            id.store == store.handle
        else { return false }
        if storedIDs.contains(id) { return true }
        guard try snapshot?.row(for: id) != nil else { return false }
        if storedIDs.count >= NaturalKeys.mostKnown { storedIDs = [] }
        storedIDs.insert(id)
        return true
    }

    /// Sets a to-one by an ID that may be of another store or entity.
    private func setChecked(_ id: ManagedObjectID?, _ reference: ReferencePlan) throws {
        guard let id else { return setReference(nil, reference) }
        guard try isStored(id, reference.destination), let entity = part.model.entity(of: id)
        else { throw noDestination(reference.relationship) }
        setReference((id.key, entity.id), reference)
    }

    private func noDestination(_ relationship: Relationship) -> ContextError {
        let destination = part.model[relationship.destination].name
        return ContextError.invalidValue(
            of: relationship.name, objectID: object.objectID,
            "is not made of IDs of saved objects of '\(destination)' of the store")
    }

    private func setReference(
        _ destination: (key: Int64, entity: EntityID)?, _ reference: ReferencePlan
    ) {
        setReference(
            destination, slot: reference.slot, entitySlot: reference.entitySlot,
            orderSlot: reference.orderSlot)
    }

    private func setReference(_ destination: (key: Int64, entity: EntityID), at position: Int) {
        guard let known = checked[position] else { return }
        setReference(
            destination, slot: known.slot, entitySlot: known.entitySlot, orderSlot: known.orderSlot)
    }

    @inline(__always)
    private func setReference(
        _ destination: (key: Int64, entity: EntityID)?, slot: Int, entitySlot: Int?, orderSlot: Int?
    ) {
        given.insert(slot)
        if let entitySlot { given.insert(entitySlot) }
        if let orderSlot { given.insert(orderSlot) }
        guard let row = object.mutableRow else { return }
        guard let (key, entity) = destination else {
            row.setNull(slot)
            if let entitySlot { row.setNull(entitySlot) }
            return
        }
        row.set(integer: key, at: slot)
        if let entitySlot { row.set(integer: Int64(entity.index), at: entitySlot) }
    }

    private func destination(
        _ value: StoredValue, _ keys: NaturalKeys
    ) throws -> (key: Int64, entity: EntityID) {
        guard let snapshot else { throw ContextError.objectNotFound(object.objectID) }
        return try keys.object(with: value, in: snapshot, of: store)
    }
}
