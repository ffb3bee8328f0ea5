import DuramenModel

/// An order of rows that the store keeps: of the model's indexes, its uniqueness constraints, and
/// the to-ones that make up the other side of a to-many.
struct StoreIndex: Sendable {
    /// Why the index is there.
    enum Purpose: Sendable, Hashable {
        case query
        case uniqueness(UniquenessConstraint)
        /// Answers the to-many; made when it is first asked for.
        case toMany(RelationshipID)
    }

    /// One property of the index.
    struct Part: Sendable, Hashable {
        var name: String
        var slot: Int
        var kind: SlotKind
        /// By entity, where sub-entities have the property in other slots; empty where they do not.
        var slots: [Int] = []

        /// Where the rows of an entity have the property.
        @inline(__always) func slot(in entity: EntityID) -> Int {
            slots.isEmpty ? slot : slots[entity.index]
        }
    }

    let purpose: Purpose
    /// The entity whose rows, and whose sub-entities' rows, are in the index.
    let entity: EntityID
    let parts: [Part]
    /// What the index is of, in the words of the model.
    let properties: String
    /// What the index is of, and whether its values were found to be unique.
    let signature: String
    /// The signature as long as rows share values of a constraint; nil for other indexes.
    let unenforcedSignature: String?
    /// Whether a family has no other members than the rows of its table.
    let coversTable: Bool

    private init(_ purpose: Purpose, _ entity: Entity, _ parts: [Part]) {
        self.purpose = purpose
        self.entity = entity.id
        self.parts = parts
        coversTable = entity.superentity == nil
        // Names have no dots but between the elements of composites, where two stand for one.
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

    /// Whether rows may be written before the index is made.
    var isMadeWhenNeeded: Bool {
        if case .toMany = purpose { true } else { false }
    }

    /// All indexes of a model. Two of the same properties are made as one, which serves both
    /// purposes. Only a to-many keeps an index of its own beside that of a constraint.
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
        // A declared index of a to-one is the one that answers its to-many.
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
