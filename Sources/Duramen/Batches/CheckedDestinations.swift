import DuramenModel

/// The slots of a to-one, and a cache of destinations that were checked.
struct CheckedDestinations {
    private static let cellCount = 256

    let slot: Int
    let entitySlot: Int?
    let orderSlot: Int?
    /// The last destination checked for each key modulo `cellCount`.
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

    /// Returns the entity of a destination; nil if it is not in the cache.
    func entity(of id: ManagedObjectID) -> EntityID? {
        guard let known = cells[cell(of: id)], known.id == id else { return nil }
        return known.entity
    }

    mutating func record(_ id: ManagedObjectID, of entity: EntityID) {
        cells[cell(of: id)] = (id, entity)
    }
}
