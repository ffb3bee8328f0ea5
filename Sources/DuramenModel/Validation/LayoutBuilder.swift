/// Names a declared relationship while the model is being resolved.
struct RelationshipKey: Hashable {
    var entity: Int
    var name: StoredText
}

/// Numbers the slots and to-manys of one entity, from the root of its hierarchy down.
struct LayoutBuilder {
    private let ids: [RelationshipKey: RelationshipID]
    private let families: [[EntityID]]
    private let inverses: Set<RelationshipID>
    private var kinds: [SlotKind] = []
    private(set) var attributes: [Attribute] = []
    private(set) var transientAttributes: [TransientAttribute] = []
    private(set) var toOnes: [Relationship] = []
    private(set) var toManys: [Relationship] = []
    private(set) var layout = RowLayout(kinds: [])

    /// - Parameter toOnes: The to-one relationships of the whole model.
    init(
        ids: [RelationshipKey: RelationshipID], families: [[EntityID]], toOnes: Set<RelationshipID>
    ) {
        self.ids = ids
        self.families = families
        inverses = toOnes
    }

    /// Adds one level of the hierarchy. The descriptions have passed all checks before.
    mutating func add(
        _ description: EntityDescription, as entity: EntityID, _ indexByName: [StoredText: Int]
    ) {
        enum Own {
            case attribute(AttributeDescription)
            case relationship(RelationshipDescription)
        }
        let own =
            description.attributes.map { (StoredText($0.name), Own.attribute($0)) }
            + description.relationships.map { (StoredText($0.name), Own.relationship($0)) }
        for (name, property) in own.sorted(by: { $0.0 < $1.0 }) {
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
                guard let kind = SlotKind(attribute.type) else { continue }
                attributes.append(
                    Attribute(
                        name: attribute.name, type: attribute.type,
                        isOptional: attribute.isOptional,
                        defaultValue: attribute.type.stored(attribute.defaultValue),
                        slot: kinds.count, kind: kind, declaringEntity: entity,
                        allowsExternalBinaryDataStorage: attribute.allowsExternalBinaryDataStorage,
                        renamingIdentifier: attribute.renamingIdentifier,
                        userInfo: attribute.userInfo))
                kinds.append(kind)
            case .relationship(let relationship):
                guard let target = indexByName[StoredText(relationship.destination)],
                    let inverse = relationship.inverse,
                    let id = ids[RelationshipKey(entity: entity.index, name: name)],
                    let back = ids[RelationshipKey(entity: target, name: StoredText(inverse))]
                else { continue }
                let storage: RelationshipStorage
                if relationship.isToMany {
                    let leadsBackToOne = inverses.contains(back)
                    storage =
                        leadsBackToOne
                        ? .inverseOfToOne(toManyIndex: toManys.count)
                        : .manyToMany(toManyIndex: toManys.count)
                } else {
                    storage = .toOne(slot: kinds.count, entitySlot: nil)
                    kinds.append(.reference)
                }
                let resolved = Relationship(
                    id: id, name: relationship.name, declaringEntity: entity,
                    destination: EntityID(index: target), inverse: back, storage: storage,
                    isOptional: relationship.isOptional, minimumCount: relationship.minimumCount,
                    maximumCount: relationship.maximumCount, deleteRule: relationship.deleteRule,
                    renamingIdentifier: relationship.renamingIdentifier,
                    userInfo: relationship.userInfo)
                if relationship.isToMany {
                    toManys.append(resolved)
                } else {
                    toOnes.append(resolved)
                }
            }
        }
    }

    /// Appends the entity slots.
    mutating func finish() {
        for index in toOnes.indices where families[toOnes[index].destination.index].count > 1 {
            guard case .toOne(let slot, _) = toOnes[index].storage else { continue }
            toOnes[index] = toOnes[index].stored(as: .toOne(slot: slot, entitySlot: kinds.count))
            kinds.append(.referenceEntity)
        }
        layout = RowLayout(kinds: kinds)
    }
}

extension Relationship {
    /// The same relationship, kept another way.
    func stored(as storage: RelationshipStorage) -> Relationship {
        Relationship(
            id: id, name: name, declaringEntity: declaringEntity, destination: destination,
            inverse: inverse, storage: storage, isOptional: isOptional, minimumCount: minimumCount,
            maximumCount: maximumCount, deleteRule: deleteRule,
            renamingIdentifier: renamingIdentifier, userInfo: userInfo)
    }
}
