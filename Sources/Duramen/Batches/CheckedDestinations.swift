import DuramenModel

/// The slots of a to-one, and destinations that were looked at when it was given them before.
struct CheckedDestinations {
    private static let cellCount = 256

    let slot: Int
    let entitySlot: Int?
    let orderSlot: Int?
    /// The last of those whose keys end alike.
    private var cells = ContiguousArray<(id: ManagedObjectID, entity: EntityID)?>(
        repeating: nil, count: cellCount)

    init(_ reference: ReferencePlan) {
        slot = reference.slot
        entitySlot = reference.entitySlot
        orderSlot = reference.orderSlot
    }

    private func cell(of id: ManagedObjectID) -> Int {
        Int(truncatingIfNeeded: id.key) & (Self.cellCount - 1)
    }

    /// The entity of a destination; nil for one that is to be looked at.
    func entity(of id: ManagedObjectID) -> EntityID? {
        guard let known = cells[cell(of: id)], known.id == id else { return nil }
        return known.entity
    }

    mutating func record(_ id: ManagedObjectID, of entity: EntityID) {
        cells[cell(of: id)] = (id, entity)
    }
}
