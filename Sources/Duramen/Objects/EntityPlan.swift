import DuramenModel

/// The information about one entity that a context needs frequently, computed once.
// Sound: unchecked exclusivity, since a context and all that it has are used in one isolation, and
// no access calls out.
@usableFromInline final class EntityPlan {
    /// The entity in the model of the store.
    let entity: Entity
    /// The entity in the container's model, which is equal to ``entity`` without configurations.
    let modelEntity: Entity
    let handle: ContextHandle
    /// The registered objects of the entity's hierarchy.
    let table: ObjectTable
    let objectClass: ManagedObject.Type
    let layout: RowLayout
    /// The IDs of the entity without keys.
    let permanentID: ManagedObjectID
    let temporaryID: ManagedObjectID
    /// The handle, arena and table, for steps without reference counting.
    // Sound: the plan keeps the handle, with its arena, and the table for as long as it lives.
    let borrowedHandle: Borrowed<ContextHandle>
    let borrowedArena: Borrowed<RowArena>
    let borrowedTable: Borrowed<ObjectTable>
    /// The plans of the to-ones by slot; nil for attributes.
    @exclusivity(unchecked) private(set) var references: ContiguousArray<ReferencePlan?> = []
    /// The plans of the to-ones, for steps without reference counting.
    @exclusivity(unchecked) private(set) var borrowedReferences = BorrowedReferences([])
    /// The plans of the to-ones, without the attributes.
    @exclusivity(unchecked) private(set) var toOnes: [ReferencePlan] = []
    /// The to-manys by index.
    let toManys: [Relationship]
    /// The transformable attributes that are not stored as JSON.
    let transformedTypes: TransformedTypes
    /// The conditions that an object must meet to be saved.
    @exclusivity(unchecked) var demands: SaveDemands
    /// The default values of new objects.
    let defaults: DefaultRow
    /// The hooks that the class overrides.
    let hooks: LifecycleHooks
    /// The initial flags of objects: whether reads and writes are observed.
    @exclusivity(unchecked) var objectFlags: ObjectFlags = []

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - model: The container's model.
    ///   - handle: The link to the context.
    ///   - table: The table of the entity's hierarchy.
    ///   - template: See ``template(of:)``.
    init(
        entity: Entity, in model: ManagedObjectModel, handle: ContextHandle, table: ObjectTable,
        template: Row
    ) {
        self.entity = entity
        modelEntity = model.entity(for: entity.handle) ?? entity
        self.handle = handle
        self.table = table
        borrowedHandle = Borrowed(handle)
        borrowedArena = Borrowed(handle.arena)
        borrowedTable = Borrowed(table)
        objectClass = entity.managedObjectClass?.type as? ManagedObject.Type ?? ManagedObject.self
        layout = entity.layout
        permanentID = ManagedObjectID(store: handle.store, entity: entity.handle, key: 0)
        temporaryID = ManagedObjectID(store: .none, entity: entity.handle, key: 0)
        toManys = entity.toManyRelationships
        transformedTypes = TransformedTypes(entity)
        hooks = objectClass.overriddenHooks(of: objectClass)
        demands = SaveDemands(of: entity, propertyRules: objectClass.propertyRules)
        defaults = DefaultRow(template, of: entity)
    }

    /// The index of the hierarchy's root in the model.
    @inline(__always) var rootIndex: Int { entity.root.index }

    /// The row of a new object, with its defaults, for copying.
    @inline(__always) var template: Row { defaults.row }

    /// Connects the plan to other plans, after all are created.
    func connect(_ plans: ContiguousArray<EntityPlan>, model: ManagedObjectModel) {
        references = ContiguousArray(repeating: nil, count: entity.layout.slotCount)
        for relationship in entity.relationships {
            guard case .toOne(let slot, let entitySlot) = relationship.storage else { continue }
            references[slot] = ReferencePlan(
                relationship: relationship, slot: slot, entitySlot: entitySlot,
                destination: plans[relationship.destination.index],
                inverse: model[relationship.inverse])
        }
        borrowedReferences = BorrowedReferences(references)
        toOnes = references.compactMap { $0 }
    }

    /// Returns the registration of a new object whose values are in the current block of an arena.
    @inline(__always)
    func registrationForInsert(
        key: Int64, words: UnsafeMutableRawPointer, in arena: RowArena
    ) -> ManagedObjectRegistration {
        ManagedObjectRegistration(
            plan: self, key: key, storage: arena.currentBlock, words: words,
            flags: objectFlags.union([.inserted, .inInserted, .writable]))
    }

    /// Returns the to-many with a name, hidden or not; nil if there is none.
    func toMany(named name: String) -> Relationship? {
        toManys.first { StoredText($0.name) == StoredText(name) }
    }

    /// Returns a relationship with this entity's slots: hidden ones differ in subentities.
    @inline(__always) func own(_ relationship: Relationship) -> Relationship? {
        relationship.isHidden ? entity.relationship(relationship.id) : relationship
    }

    /// Returns the row of a new object of an entity, with its defaults.
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

/// The initial row of an entity's new objects, and information for copying it.
struct DefaultRow {
    let row: Row
    /// The number of bytes before the first slot.
    let headerBytes: Int
    /// Whether the row ends with its last slot: no text or data follows.
    let isFixed: Bool

    init(_ row: Row, of entity: Entity) {
        self.row = row
        headerBytes = RowStorage.headerBytes(slotCount: entity.layout.slotCount)
        isFixed = entity.attributes.allSatisfy { !$0.kind.isTail || row.isNull($0.slot) }
    }
}
