import DuramenModel

/// How a to-one is followed.
final class ReferencePlan {
    let relationship: Relationship
    let slot: Int
    let entitySlot: Int?
    /// Where rows hold the index among the members of the inverse to-many; nil when that has no
    /// order.
    let orderSlot: Int?
    /// The entity at the other end.
    let destination: Entity
    /// The registered objects of that entity's hierarchy.
    let table: ObjectTable
    let inverse: Relationship
    /// The number of the inverse to-many at the destination entity itself; nil when the inverse is
    /// a to-one.
    let inverseIndex: Int?
    /// The destination's plan, to be compared with.
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
}

/// The to-ones of an entity by slot, for steps that count no references.
struct BorrowedReferences {
    // Sound: the plan that has this keeps both for as long, by its list of references.
    /// How each is followed; nil for attributes.
    let plans: ContiguousArray<Borrowed<ReferencePlan>?>
    /// Where the objects at the other end are; nil for attributes.
    let tables: ContiguousArray<Borrowed<ObjectTable>?>
    /// The slots without those of attributes.
    let slots: ContiguousArray<Int>

    init(_ references: ContiguousArray<ReferencePlan?>) {
        plans = ContiguousArray(references.map { $0.map { Borrowed($0) } })
        tables = ContiguousArray(references.map { $0.map { Borrowed($0.table) } })
        slots = ContiguousArray(references.compactMap { $0?.slot })
    }
}
