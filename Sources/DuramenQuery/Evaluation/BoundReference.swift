import DuramenModel

/// A to-one whose slots are known in the rows of its owner and of all sub-entities of the owner.
///
/// The slot with the destination's key is the same in all of them. The one with the destination's
/// entity is not: it follows a sub-entity's own slots, so it is looked up by the row's entity.
struct BoundReference: Sendable {
    let relationship: Relationship
    let slot: Int
    private let firstEntity: Int
    // Empty when the destination has no sub-entities; -1 where the entity has not the relationship.
    private let entitySlots: [Int]

    /// - Returns: Nil for a to-many.
    init?(_ relationship: Relationship, of owner: Entity, in model: ManagedObjectModel) {
        guard case .toOne(let slot, let entitySlot) = relationship.storage else { return nil }
        self.relationship = relationship
        self.slot = slot
        let first = owner.family.first?.index ?? owner.id.index
        firstEntity = first
        guard entitySlot != nil else {
            entitySlots = []
            return
        }
        var slots = [Int](repeating: -1, count: (owner.family.last?.index ?? first) - first + 1)
        for member in owner.family {
            for candidate in model[member].relationships where candidate.id == relationship.id {
                if case .toOne(_, let slot?) = candidate.storage {
                    slots[member.index - first] = slot
                }
            }
        }
        entitySlots = slots
    }

    /// The index of the destination's own entity. The reference must not be null.
    func destinationIndex(_ row: Row) -> Int {
        if entitySlots.isEmpty { return relationship.destination.index }
        let place = row.entityID.index - firstEntity
        guard entitySlots.indices.contains(place), entitySlots[place] >= 0,
            !row.isNull(entitySlots[place])
        else { return relationship.destination.index }
        return Int(row.integer(entitySlots[place]))
    }

    /// The object that the reference leads to, whether or not it exists; nil when it is null.
    func destination(
        _ row: Row, _ model: ManagedObjectModel, _ store: StoreHandle
    ) -> ManagedObjectID? {
        if row.isNull(slot) { return nil }
        let index = destinationIndex(row)
        guard model.entities.indices.contains(index) else { return nil }
        let key = row.integer(slot)
        return ManagedObjectID(
            store: key < 0 ? .none : store, entity: model.entities[index].handle, key: key)
    }
}
