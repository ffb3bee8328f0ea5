import DuramenModel

/// A to-one with its slots in the rows of its owner and of all sub-entities of the owner.
///
/// The slot of the destination's key is equal in all of them. The slot of the destination's entity
/// is not: it follows a sub-entity's own slots, so it is found by the row's entity.
struct BoundReference: Sendable {
    let relationship: Relationship
    let slot: Int
    private let firstEntity: Int
    // Empty if the destination has no sub-entities; -1 for an entity without the relationship.
    private let entitySlots: [Int]

    /// Creates the reference of a to-one; nil for a to-many.
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

    /// Returns the index of the destination's own entity. The reference must not be null.
    func destinationIndex(_ row: Row) -> Int {
        if entitySlots.isEmpty { return relationship.destination.index }
        let place = row.entityID.index - firstEntity
        guard entitySlots.indices.contains(place), entitySlots[place] >= 0,
            !row.isNull(entitySlots[place])
        else { return relationship.destination.index }
        return Int(row.integer(entitySlots[place]))
    }

    /// Returns the destination of the reference, whether or not it exists; nil if it is null.
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
