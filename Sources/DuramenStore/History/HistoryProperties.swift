public import DuramenModel

/// The properties of a model as its history numbers them: by entity, in the bytewise order of their
/// names.
///
/// It contains attributes, to-one and to-many relationships, also inherited ones, and of a
/// composite its elements.
public struct HistoryProperties: Sendable {
    /// By entity: the names, in order.
    public let names: [[String]]
    /// By entity: the attributes whose last values are kept, in the order of their names.
    public let preserved: [[Attribute]]
    /// By entity and slot: the index of the property; -1 for none.
    private let slotPlaces: [[Int]]
    /// By entity: the indexes of to-many relationships.
    private let toManyPlaces: [[RelationshipID: Int]]

    /// Numbers the properties of a model.
    public init(_ model: ManagedObjectModel) {
        var names: [[String]] = []
        var preserved: [[Attribute]] = []
        var slotPlaces: [[Int]] = []
        var toManyPlaces: [[RelationshipID: Int]] = []
        for entity in model.entities {
            let relationships = entity.relationships.filter { !$0.isHidden }
            let ordered = (entity.attributes.map(\.name) + relationships.map(\.name))
                .sorted { StoredText($0) < StoredText($1) }
            var places: [StoredText: Int] = [:]
            for (place, name) in ordered.enumerated() { places[StoredText(name)] = place }
            var bySlot = [Int](repeating: -1, count: entity.layout.slotCount)
            var byToMany: [RelationshipID: Int] = [:]
            for attribute in entity.attributes {
                bySlot[attribute.slot] = places[StoredText(attribute.name)] ?? -1
            }
            for relationship in relationships {
                let place = places[StoredText(relationship.name)] ?? -1
                if case .toOne(let slot, let entitySlot) = relationship.storage {
                    for slot in [slot, entitySlot, relationship.orderSlot] {
                        if let slot { bySlot[slot] = place }
                    }
                } else {
                    byToMany[relationship.id] = place
                }
            }
            names.append(ordered)
            slotPlaces.append(bySlot)
            toManyPlaces.append(byToMany)
            preserved.append(
                entity.attributes
                    .filter {
                        $0.preservesValueInHistoryOnDeletion && !$0.allowsExternalBinaryDataStorage
                    }
                    .sorted { StoredText($0.name) < StoredText($1.name) })
        }
        self.names = names
        self.preserved = preserved
        self.slotPlaces = slotPlaces
        self.toManyPlaces = toManyPlaces
    }

    /// Returns the indexes of the properties that some slots belong to.
    public func places(of slots: SlotSet, in entity: EntityID) -> SlotSet {
        let bySlot = slotPlaces[entity.index]
        var places = SlotSet()
        for slot in slots.slots where slot < bySlot.count && bySlot[slot] >= 0 {
            places.insert(bySlot[slot])
        }
        return places
    }

    /// Returns the index of a to-many relationship; nil for a hidden one.
    public func place(of toMany: RelationshipID, in entity: EntityID) -> Int? {
        toManyPlaces[entity.index][toMany]
    }

    /// Returns the names of the properties at some indexes.
    public func names(at places: SlotSet, in entity: EntityID) -> Set<String> {
        let all = names[entity.index]
        return Set(places.slots.lazy.filter { $0 < all.count }.map { all[$0] })
    }

    /// Whether tombstones of an entity's objects have values.
    public func leavesValues(_ entity: EntityID) -> Bool { !preserved[entity.index].isEmpty }
}

/// The history entries of a change set.
public struct HistoryEdits {
    /// An object with changed values or members.
    public struct Update {
        /// The object's entity.
        public let entity: EntityID
        /// The object's key.
        public let key: Int64
        /// The indexes of the changed properties.
        public fileprivate(set) var properties: SlotSet
    }

    /// The updates, including those of both objects of a changed pair.
    public private(set) var updates: [Update] = []
    /// The deleted objects whose tombstones have values, so that their rows are read before the
    /// deletion.
    public private(set) var leavingValues: [ManagedObjectID] = []

    /// Creates the entries of a change set that was checked.
    public init(
        _ changes: ChangeSet, _ properties: HistoryProperties, in model: ManagedObjectModel
    ) {
        updates = changes.updates.map { update in
            Update(
                entity: update.row.entityID, key: update.row.key,
                properties: properties.places(of: update.changedSlots, in: update.row.entityID))
        }
        if !changes.edges.isEmpty { addPairs(of: changes, properties, model) }
        for deletion in changes.deletes {
            guard let entity = model.entity(of: deletion.id), properties.leavesValues(entity.id)
            else { continue }
            leavingValues.append(deletion.id)
        }
    }

    /// Adds changed pairs as updates of both objects, except inserted and deleted objects.
    private mutating func addPairs(
        of changes: ChangeSet, _ properties: HistoryProperties, _ model: ManagedObjectModel
    ) {
        struct Object: Hashable {
            var entity: EntityID
            var key: Int64
        }
        var places: [Object: Int] = [:]
        for (place, update) in updates.enumerated() {
            places[Object(entity: update.entity, key: update.key)] = place
        }
        for row in changes.inserts { places[Object(entity: row.entityID, key: row.key)] = -1 }
        for deletion in changes.deletes {
            guard let entity = model.entity(of: deletion.id) else { continue }
            places[Object(entity: entity.id, key: deletion.id.key)] = -1
        }
        for change in changes.edges {
            let inverse = model[change.relationship].inverse
            for edge in change.added + change.removed {
                for (id, toMany) in [
                    (edge.source, change.relationship), (edge.destination, inverse),
                ] {
                    guard let entity = model.entity(of: id),
                        let property = properties.place(of: toMany, in: entity.id)
                    else { continue }
                    let object = Object(entity: entity.id, key: id.key)
                    let place = places[object] ?? updates.count
                    if place < 0 { continue }
                    if place == updates.count {
                        places[object] = place
                        updates.append(
                            Update(entity: entity.id, key: id.key, properties: SlotSet()))
                    }
                    updates[place].properties.insert(property)
                }
            }
        }
    }
}

/// The values of tombstones by object, in the order of ``HistoryProperties/preserved``.
public struct HistoryTombstones {
    private var values: [ManagedObjectID: [StoredValue]] = [:]

    /// Creates an empty collection.
    public init() {}

    /// Creates tombstones with the values of rows.
    public init(
        _ rows: some Sequence<Row>, _ properties: HistoryProperties, in model: ManagedObjectModel,
        store: StoreHandle
    ) {
        for row in rows {
            values[row.objectID(in: model, store: store)] = properties.preserved[row.entityID.index]
                .map { row.value($0.slot, $0.kind) }
        }
    }

    /// The values of an object's tombstone; nil for an object without one.
    public subscript(id: ManagedObjectID) -> [StoredValue]? { values[id] }
}

extension HistoryProperties {
    /// Returns the values of a tombstone by name.
    public func tombstone(_ values: [StoredValue], of entity: EntityID) -> [String: StoredValue] {
        var result: [String: StoredValue] = [:]
        for (attribute, value) in zip(preserved[entity.index], values) {
            result[attribute.name] = value
        }
        return result
    }
}
