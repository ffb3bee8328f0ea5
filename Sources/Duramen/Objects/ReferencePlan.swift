import DuramenModel

/// The information about a to-one that following it needs.
final class ReferencePlan {
    let relationship: Relationship
    let slot: Int
    let entitySlot: Int?
    /// The slot of the order number among the members of the inverse to-many; nil if that is not
    /// ordered.
    let orderSlot: Int?
    /// The destination entity.
    let destination: Entity
    /// The registered objects of the destination's hierarchy.
    let table: ObjectTable
    let inverse: Relationship
    /// The index of the inverse to-many in the destination entity itself; nil if the inverse is a
    /// to-one.
    let inverseIndex: Int?
    /// The destination's plan, for comparison.
    // Sound: only its address is used, and the context keeps all its plans for as long as this one.
    private unowned(unsafe) let destinationPlan: EntityPlan

    /// Whether a plan is that of the destination entity itself.
    @inline(__always) func leadsExactly(to plan: EntityPlan) -> Bool { plan === destinationPlan }

    init(
        relationship: Relationship, slot: Int, entitySlot: Int?, destination: EntityPlan,
        inverse: Relationship
    ) {
        self.relationship = relationship
        self.slot = slot
        self.entitySlot = entitySlot
        orderSlot = relationship.orderSlot
        self.destination = destination.entity
        table = destination.table
        inverseIndex = destination.own(inverse)?.storage.toManyIndex
        destinationPlan = destination
        self.inverse = inverse
    }

    /// Whether two rows have the same destination, and the same place among its members.
    func isSame(in a: Row, _ b: Row) -> Bool {
        a.entityID == b.entityID && a.hasSameValue(slot, .reference, as: b)
            && (entitySlot.map { a.hasSameValue($0, .referenceEntity, as: b) } ?? true)
            && (orderSlot.map { a.hasSameValue($0, .integer, as: b) } ?? true)
    }
}

/// The to-ones of an entity by slot, for steps without reference counting.
struct BorrowedReferences {
    // Sound: the plan that has this keeps both for as long, by its list of references.
    /// The plans of the to-ones; nil for attributes.
    let plans: ContiguousArray<Borrowed<ReferencePlan>?>
    /// The tables of the destinations; nil for attributes.
    let tables: ContiguousArray<Borrowed<ObjectTable>?>
    /// The slots of the to-ones.
    let slots: ContiguousArray<Int>

    init(_ references: ContiguousArray<ReferencePlan?>) {
        plans = ContiguousArray(references.map { $0.map { Borrowed($0) } })
        tables = ContiguousArray(references.map { $0.map { Borrowed($0.table) } })
        slots = ContiguousArray(references.compactMap { $0?.slot })
    }
}
