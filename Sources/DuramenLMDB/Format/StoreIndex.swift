import DuramenModel

/// An index of the store: for the model's indexes, its uniqueness constraints, and the to-ones that
/// are inverses of to-many relationships.
struct StoreIndex: Sendable {
    /// The purpose of the index.
    enum Purpose: Sendable, Hashable {
        case query
        case uniqueness(UniquenessConstraint)
        /// For a to-many; created when it is first needed.
        case toMany(RelationshipID)
    }

    /// One property of the index.
    struct Part: Sendable, Hashable {
        var name: String
        var slot: Int
        var kind: SlotKind
        /// By entity, if sub-entities have the property in other slots; otherwise empty.
        var slots: [Int] = []

        /// The slot of the property in rows of an entity.
        @inline(__always) func slot(in entity: EntityID) -> Int {
            slots.isEmpty ? slot : slots[entity.index]
        }
    }

    let purpose: Purpose
    /// The index has the rows of this entity and its sub-entities.
    let entity: EntityID
    let parts: [Part]
    /// The entity and properties of the index, by name.
    let properties: String
    /// The entity and properties of the index, and whether its values are known to be unique.
    let signature: String
    /// The signature if rows share values of a constraint; nil for other indexes.
    let unenforcedSignature: String?
    /// Whether the entity's family includes all rows of its table.
    let coversTable: Bool

    private init(_ purpose: Purpose, _ entity: Entity, _ parts: [Part]) {
        self.purpose = purpose
        self.entity = entity.id
        self.parts = parts
        coversTable = entity.superentity == nil
        // Names contain dots only between the elements of composites, which are doubled here.
        let names = parts.flatMap { [Self.escaped($0.name), String($0.kind.rawValue)] }
        properties = ([entity.name] + names)
            .joined(separator: ".")
        if case .uniqueness = purpose {
            signature = "unique." + properties
            unenforcedSignature = "shared." + properties
        } else {
            signature = properties
            unenforcedSignature = nil
        }
    }

    private static func escaped(_ path: String) -> String {
        String(
            String.UnicodeScalarView(
                path.unicodeScalars.flatMap { $0 == "." ? [".", "."] : [$0] }))
    }

    /// Whether the index belongs to a constraint.
    var isOfConstraint: Bool { unenforcedSignature != nil }

    /// Whether rows may be written before the index is created.
    var isMadeWhenNeeded: Bool {
        if case .toMany = purpose { true } else { false }
    }

    /// All indexes of a model. Two with equal properties are combined into one for both purposes.
    /// Only a to-many has its own index beside that of a constraint.
    static func all(of model: ManagedObjectModel) -> [StoreIndex] {
        var found: [StoreIndex] = []
        for entity in model.entities {
            for constraint in entity.uniquenessConstraints where constraint.entity == entity.id {
                let parts = constraint.properties.compactMap { part($0, of: entity) }
                found.append(StoreIndex(.uniqueness(constraint), entity, parts))
            }
            for index in entity.indexes {
                let parts = index.elements.compactMap { part($0.property, of: entity) }
                if parts.count == index.elements.count, !parts.isEmpty {
                    found.append(StoreIndex(.query, entity, parts))
                }
            }
        }
        for relationship in model.relationships {
            guard let slot = relationship.slot, model[relationship.inverse].isToMany else {
                continue
            }
            var part = Part(name: relationship.name, slot: slot, kind: .reference)
            if relationship.isHidden {
                part.slots = model.entities.map { $0.relationship(relationship.id)?.slot ?? slot }
            }
            found.append(
                StoreIndex(
                    .toMany(relationship.inverse), model[relationship.declaringEntity], [part]))
        }
        var seen: Set<String> = []
        let constraints = Set(found.filter(\.isOfConstraint).map(\.properties))
        var isToMany: [String: StoreIndex] = [:]
        for index in found where index.isMadeWhenNeeded { isToMany[index.properties] = index }
        return found.filter { index in
            seen.insert(index.properties).inserted
                || index.isMadeWhenNeeded && constraints.contains(index.properties)
        }
        // A declared index of a to-one also serves its to-many.
        .map { $0.isOfConstraint ? $0 : isToMany[$0.properties] ?? $0 }
    }

    private static func part(_ name: String, of entity: Entity) -> Part? {
        switch entity.property(named: name) {
        case .attribute(let attribute)?:
            Part(name: name, slot: attribute.slot, kind: attribute.kind)
        case .relationship(let relationship)?:
            relationship.slot.map { Part(name: name, slot: $0, kind: .reference) }
        case nil: nil
        }
    }
}
