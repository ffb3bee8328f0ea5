package import DuramenModel

/// The columns of the properties that each entity of a table declares itself.
package struct DeclaredColumns {
    /// By the entity's index and the slot.
    private var places: [Int: [Int: Int]] = [:]

    /// Creates an empty list.
    package init() {}

    /// Notes the columns, by slots, of the properties that an entity declares.
    package mutating func add(_ columns: [Int: Int], of entity: EntityID) {
        places[entity.index] = columns
    }

    /// Returns the column of every slot of an entity. Inherited properties have the columns of the
    /// ancestor that declares them.
    package func columns(of entity: Entity, in model: ManagedObjectModel) -> [Int] {
        var result = [Int](repeating: 0, count: entity.layout.slotCount)
        for attribute in entity.attributes {
            result[attribute.slot] = places[attribute.declaringEntity.index]?[attribute.slot] ?? 0
        }
        for relationship in entity.relationships {
            // Slots of relationships differ in sub-entities.
            let declared = Self.slots(of: model[relationship.id])
            let places = places[relationship.declaringEntity.index]
            for (slot, declared) in zip(Self.slots(of: relationship), declared) {
                result[slot] = places?[declared] ?? 0
            }
        }
        return result
    }

    /// The slots of a to-one, in equal order for all entities that have it.
    private static func slots(of relationship: Relationship) -> [Int] {
        guard case .toOne(let slot, let entitySlot) = relationship.storage else { return [] }
        return [slot, entitySlot, relationship.orderSlot].compactMap { $0 }
    }
}
