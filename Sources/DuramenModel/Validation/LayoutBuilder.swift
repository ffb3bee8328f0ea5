/// Identifies a declared relationship while the model is being resolved.
struct RelationshipKey: Hashable {
    var entity: Int
    var name: StoredText
}

/// Numbers the slots and to-manys of one entity, starting at the root of its hierarchy.
struct LayoutBuilder {
    private let ids: [RelationshipKey: RelationshipID]
    private let families: [[EntityID]]
    private let declared: [RelationshipID: RelationshipDescription]
    private var kinds: [SlotKind] = []
    private(set) var attributes: [Attribute] = []
    private(set) var composites: [CompositeAttribute] = []
    private(set) var transientAttributes: [TransientAttribute] = []
    private(set) var toOnes: [Relationship] = []
    private(set) var toManys: [Relationship] = []
    // They come after all others, since compiled accessors do not count them.
    private var hidden: [(relationship: RelationshipDescription, owner: EntityID, name: String)] =
        []
    private let indexByName: [StoredText: Int]
    private let transformers: ValueTransformers
    private(set) var layout = RowLayout(kinds: [])

    /// Creates a builder without slots.
    ///
    /// - Parameters:
    ///   - ids: The IDs of all relationships.
    ///   - families: The family of each entity.
    ///   - declared: The relationships of the whole model.
    ///   - indexByName: The index of each entity by its name.
    ///   - transformers: The transformers of the model.
    init(
        ids: [RelationshipKey: RelationshipID], families: [[EntityID]],
        declared: [RelationshipID: RelationshipDescription], indexByName: [StoredText: Int],
        transformers: ValueTransformers
    ) {
        self.ids = ids
        self.families = families
        self.declared = declared
        self.indexByName = indexByName
        self.transformers = transformers
    }

    /// Adds one level of the hierarchy, whose descriptions have passed all checks.
    mutating func add(_ description: EntityDescription, as entity: EntityID) {
        enum Own {
            case attribute(AttributeDescription)
            case relationship(RelationshipDescription)
        }
        let own =
            description.attributes.map { (StoredText($0.name), Own.attribute($0)) }
            + description.relationships.map { (StoredText($0.name), Own.relationship($0)) }
        for (_, property) in own.sorted(by: { $0.0 < $1.0 }) {
            switch property {
            case .attribute(let attribute) where attribute.isTransient:
                transientAttributes.append(
                    TransientAttribute(
                        name: attribute.name, type: attribute.type,
                        isOptional: attribute.isOptional,
                        defaultValue: attribute.type.stored(attribute.defaultValue),
                        index: transientAttributes.count, declaringEntity: entity,
                        userInfo: attribute.userInfo))
            case .attribute(let attribute):
                var slots = ElementSlots(
                    first: kinds.count, entity: entity, transformers: transformers)
                if let composite = slots.add(attribute) { composites.append(composite) }
                attributes += slots.attributes
                kinds += slots.attributes.map(\.kind)
            case .relationship(let relationship) where relationship.isHidden:
                hidden.append((relationship, entity, description.name))
            case .relationship(let relationship):
                add(relationship, of: entity, named: description.name)
            }
        }
    }

    private mutating func add(
        _ relationship: RelationshipDescription, of entity: EntityID, named owner: String
    ) {
        let name = StoredText(relationship.name)
        guard let target = indexByName[StoredText(relationship.destination)],
            let id = ids[RelationshipKey(entity: entity.index, name: name)],
            let back = ids[
                RelationshipKey(
                    entity: target, name: StoredText(relationship.inverseName(owner: owner)))],
            let inverse = declared[back]
        else { return }
        let storage: RelationshipStorage
        if !relationship.isToMany {
            storage = .toOne(slot: kinds.count, entitySlot: nil)
            kinds.append(.reference)
        } else if inverse.isToMany {
            storage = .manyToMany(toManyIndex: toManys.count)
        } else {
            storage = .inverseOfToOne(toManyIndex: toManys.count)
        }
        let resolved = Relationship(
            id: id, name: relationship.name, declaringEntity: entity,
            destination: EntityID(index: target), inverse: back,
            isHidden: relationship.isHidden, isOrdered: relationship.isOrdered, storage: storage,
            isOptional: relationship.isOptional, minimumCount: relationship.minimumCount,
            maximumCount: relationship.maximumCount, deleteRule: relationship.deleteRule,
            renamingIdentifier: relationship.renamingIdentifier,
            userInfo: relationship.userInfo, orderSlot: nil)
        if relationship.isToMany { toManys.append(resolved) } else { toOnes.append(resolved) }
    }

    /// Appends the internal slots, which follow the slots that accessors know.
    mutating func finish() {
        for (relationship, owner, name) in hidden { add(relationship, of: owner, named: name) }
        for index in toOnes.indices {
            let toOne = toOnes[index]
            guard case .toOne(let slot, _) = toOne.storage else { continue }
            var entitySlot: Int?
            if families[toOne.destination.index].count > 1 {
                entitySlot = kinds.count
                kinds.append(.referenceEntity)
            }
            var orderSlot: Int?
            if declared[toOne.inverse]?.isOrdered == true {
                orderSlot = kinds.count
                kinds.append(.integer)
            }
            toOnes[index] = toOne.stored(
                as: .toOne(slot: slot, entitySlot: entitySlot), orderSlot: orderSlot)
        }
        layout = RowLayout(kinds: kinds)
    }
}

extension Relationship {
    /// Returns the relationship with the given storage and order slot.
    fileprivate func stored(as storage: RelationshipStorage, orderSlot: Int?) -> Relationship {
        Relationship(
            id: id, name: name, declaringEntity: declaringEntity, destination: destination,
            inverse: inverse, isHidden: isHidden, isOrdered: isOrdered, storage: storage,
            isOptional: isOptional, minimumCount: minimumCount,
            maximumCount: maximumCount, deleteRule: deleteRule,
            renamingIdentifier: renamingIdentifier, userInfo: userInfo, orderSlot: orderSlot)
    }
}
