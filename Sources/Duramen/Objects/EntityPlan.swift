import DuramenModel

/// What a context needs to know of one entity on every step, worked out once.
@usableFromInline final class EntityPlan {
    /// The entity in the model of the store.
    let entity: Entity
    /// The entity in the model of the container, which is the same without configurations.
    let modelEntity: Entity
    let handle: ContextHandle
    /// Where the context keeps the values of new and changed objects.
    let arena: RowArena
    /// The registered objects of the entity's hierarchy.
    let table: ObjectTable
    let objectClass: ManagedObject.Type
    let layout: RowLayout
    /// The place of the hierarchy's root in the model.
    let rootIndex: Int
    /// IDs of the entity, to be given a key.
    let permanentID: ManagedObjectID
    let temporaryID: ManagedObjectID
    /// The bytes before the first slot of a row.
    let headerBytes: Int
    /// Whether the defaults of a new object have no tail bytes.
    let hasFixedTemplate: Bool
    /// The same, for steps that count no references.
    // Sound: the plan keeps all three for as long as it lives.
    let borrowedHandle: Unmanaged<ContextHandle>
    let borrowedArena: Unmanaged<RowArena>
    let borrowedTable: Unmanaged<ObjectTable>
    /// By slot; nil for attributes.
    @exclusivity(unchecked) private(set) var references: ContiguousArray<ReferencePlan?> = []
    /// The same, and their tables, for steps that count no references.
    // Sound: `references` keeps both for as long as the plan.
    @exclusivity(unchecked)
    private(set) var borrowedReferences: ContiguousArray<Unmanaged<ReferencePlan>?> = []
    @exclusivity(unchecked)
    private(set) var referenceTables: ContiguousArray<Unmanaged<ObjectTable>?> = []
    /// The same without the gaps.
    @exclusivity(unchecked) private(set) var toOnes: [ReferencePlan] = []
    @exclusivity(unchecked) private(set) var referenceSlots = ContiguousArray<Int>()
    /// By the index of the to-many.
    let toManys: [Relationship]
    /// Slots of mandatory properties, for a test against the null bits of slots 0…63.
    let mandatoryBits: UInt64
    let mandatoryHighSlots: [Int]
    /// The to-manys that limit the number of their destinations.
    let limitedToManys: [Relationship]
    /// The transformable attributes that are not stored as JSON.
    let transformedTypes: TransformedTypes
    /// The transient attributes that must have a value when their object is saved.
    let mandatoryTransients: [TransientAttribute]
    /// Whether values must fulfil rules.
    let hasRules: Bool
    /// The attributes with rules, with patterns that are compiled when an object is saved first.
    private(set) lazy var attributeChecks = entity.attributes.filter { !$0.rules.isEmpty }
        .map(AttributeCheck.init)
    /// The optional composites, of which one with a value may lack mandatory elements.
    let optionalComposites: [CompositeAttribute]
    /// The row of a new object, with its defaults, to be copied.
    let template: Row
    /// The hooks that the class overrides.
    let hooks: LifecycleHooks
    /// The rules that the class has for single properties.
    let propertyRules: [PropertyRule]
    /// Whether a row without null bits among ``mandatoryBits`` fulfils all that the model demands of it.
    let judgesByNullBits: Bool
    /// What objects begin with: whether their reads and writes are told.
    @exclusivity(unchecked) var objectFlags: ObjectFlags = []

    /// - Parameter template: See ``template(of:)``.
    init(
        entity: Entity, in model: ManagedObjectModel, handle: ContextHandle, table: ObjectTable,
        template: Row
    ) {
        self.entity = entity
        modelEntity = model.entity(for: entity.handle) ?? entity
        self.handle = handle
        arena = handle.arena
        self.table = table
        borrowedHandle = .passUnretained(handle)
        borrowedArena = .passUnretained(handle.arena)
        borrowedTable = .passUnretained(table)
        objectClass = entity.managedObjectClass?.type as? ManagedObject.Type ?? ManagedObject.self
        layout = entity.layout
        rootIndex = entity.root.index
        permanentID = ManagedObjectID(store: handle.store, entity: entity.handle, key: 0)
        temporaryID = ManagedObjectID(store: .none, entity: entity.handle, key: 0)
        headerBytes = RowStorage.headerBytes(slotCount: entity.layout.slotCount)
        toManys = entity.toManyRelationships
        var low: UInt64 = 0
        var high: [Int] = []
        let mandatory =
            entity.attributes.filter { !$0.isOptional }.map(\.slot)
            + entity.relationships.filter { !$0.isOptional }.compactMap(\.slot)
        for slot in mandatory {
            if slot < 64 { low |= 1 << UInt64(slot) } else { high.append(slot) }
        }
        mandatoryBits = low
        mandatoryHighSlots = high
        optionalComposites = entity.composites.flatMap(\.outermostOptional)
        mandatoryTransients = entity.transientAttributes.filter { !$0.isOptional }
        transformedTypes = TransformedTypes(entity)
        hasRules = entity.attributes.contains { !$0.rules.isEmpty }
        limitedToManys = entity.toManyRelationships.filter {
            $0.minimumCount > 0 || $0.maximumCount != nil
        }
        judgesByNullBits =
            high.isEmpty && limitedToManys.isEmpty && mandatoryTransients.isEmpty
            && optionalComposites.isEmpty && !hasRules
        hooks = objectClass.overriddenHooks(of: objectClass)
        propertyRules = objectClass.propertyRules
        self.template = template
        hasFixedTemplate = entity.attributes.allSatisfy {
            !$0.kind.isTail || template.isNull($0.slot)
        }
    }

    /// Fills in what leads to other plans, once all are made.
    func connect(_ plans: ContiguousArray<EntityPlan>, model: ManagedObjectModel) {
        references = ContiguousArray(repeating: nil, count: entity.layout.slotCount)
        for relationship in entity.relationships {
            guard case .toOne(let slot, let entitySlot) = relationship.storage else { continue }
            references[slot] = ReferencePlan(
                relationship: relationship, slot: slot, entitySlot: entitySlot,
                destination: plans[relationship.destination.index],
                inverse: model[relationship.inverse])
        }
        borrowedReferences = ContiguousArray(
            references.map { $0.map { .passUnretained($0) } })
        referenceTables = ContiguousArray(
            references.map { $0.map { Unmanaged.passUnretained($0.table) } })
        toOnes = references.compactMap { $0 }
        referenceSlots = ContiguousArray(toOnes.map(\.slot))
    }

    /// What a new object is made with, whose values are in the current block of an arena.
    @inline(__always)
    func registrationForInsert(
        key: Int64, words: UnsafeMutableRawPointer, in arena: RowArena
    ) -> ManagedObjectRegistration {
        ManagedObjectRegistration(
            plan: self, key: key, storage: arena.currentBlock, words: words,
            flags: objectFlags.union([.inserted, .inInserted, .writable]))
    }

    /// The to-many of a name, hidden or not; nil for none.
    func toMany(named name: String) -> Relationship? {
        toManys.first { StoredText($0.name) == StoredText(name) }
    }

    /// A relationship as this entity has it: hidden ones have other places in sub-entities.
    @inline(__always) func own(_ relationship: Relationship) -> Relationship? {
        relationship.isHidden ? entity.relationship(relationship.id) : relationship
    }

    /// The row of a new object of an entity, with its defaults.
    static func template(of entity: Entity) -> Row {
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: 0, version: .unsaved)
        for attribute in entity.attributes {
            builder.set(attribute.defaultValue, at: attribute.slot, as: attribute.kind)
        }
        builder.endRow()
        return builder.finish()[0]
    }
}

/// How a to-one is followed.
final class ReferencePlan {
    let relationship: Relationship
    let slot: Int
    let entitySlot: Int?
    /// Where rows hold the place among the members of the inverse to-many; nil when that has no order.
    let orderSlot: Int?
    /// The entity at the other end.
    let destination: Entity
    /// The registered objects of that entity's hierarchy.
    let table: ObjectTable
    let inverse: Relationship
    /// The number of the inverse to-many at the destination entity itself; nil when the inverse is a to-one.
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
