import DuramenModel

/// The properties of an entity that its lines in an export have.
struct ExportedProperties {
    /// The attributes, with the keys under which their values are.
    let attributes: [(attribute: Attribute, path: [String])]
    /// The attributes of the natural key; empty without one.
    let key: [(attribute: Attribute, path: [String])]
    let toOnes: [Relationship]
    /// The many-to-manys whose pairs are in the lines of this entity.
    let toManys: [Relationship]

    init(
        _ entity: Entity, in model: ManagedObjectModel, leavingOutConfidential: Bool
    ) {
        attributes = entity.attributes.filter { !leavingOutConfidential || !$0.isConfidential }
            .map { ($0, $0.name.split(separator: ".").map(String.init)) }
        let names = entity.uniquenessConstraints.first.map(\.properties) ?? []
        let key = names.compactMap { [attributes] name in
            attributes.first { StoredText($0.attribute.name) == StoredText(name) }
        }
        self.key = key.count == names.count ? key : []
        toOnes = entity.relationships.filter { !$0.isToMany }
        toManys = entity.toManyRelationships.filter { relationship in
            guard case .manyToMany = relationship.storage else { return false }
            let inverse = model[relationship.inverse]
            // A side that has an order has its own numbers; others need one side only.
            if relationship.isOrdered || inverse.isOrdered { return relationship.isOrdered }
            return relationship.id <= relationship.inverse
        }
    }

    /// The confidential attributes of a model, as `Entity.attribute`.
    static func confidential(in model: ManagedObjectModel) -> [String] {
        model.entities.flatMap { entity in
            entity.attributes.filter(\.isConfidential).map { "\(entity.name).\($0.name)" }
        }
    }
}
