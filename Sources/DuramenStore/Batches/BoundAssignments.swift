import DuramenModel
import DuramenQuery

/// The assignments of a batch update, checked against an entity.
struct BoundAssignments {
    private enum Target {
        case attribute(Attribute)
        case toOne(Relationship, destination: Entity)
    }

    /// The slots of the properties in the rows of one entity: slots of order numbers and of
    /// destination entities differ between entities.
    private struct Shape {
        var targets: [Target] = []
        var slots = SlotSet()
    }

    private let model: ManagedObjectModel
    private let entity: Entity
    private let values: [BoundFetchExpression]
    /// By the index of the entity, for the entity and its sub-entities.
    private var shapes: [Int: Shape] = [:]
    /// Whether the assignments change values of a uniqueness constraint.
    let areUnique: Bool

    init(
        _ given: [(name: String, value: FetchExpression)], of entity: EntityID,
        in model: ManagedObjectModel
    ) throws(StoreError) {
        self.model = model
        let entity = model[entity]
        self.entity = entity
        if given.isEmpty {
            throw StoreError(
                .invalidRequest,
                "The batch update of '\(entity.name)' sets nothing; name a property to set.")
        }
        do throws(FetchPredicateError) {
            var values: [BoundFetchExpression] = []
            for (_, value) in given { values.append(try value.bound(to: entity, in: model)) }
            self.values = values
        } catch {
            throw StoreError(error)
        }
        var shapes: [Int: Shape] = [:]
        for member in entity.family {
            var shape = Shape()
            for (name, _) in given {
                let target = try Self.target(name, of: model[member], in: model)
                let slots = Self.slots(of: target)
                if slots.contains(where: { shape.slots.contains($0) }) {
                    throw StoreError(
                        .invalidRequest,
                        "'\(entity.name).\(name)' is set twice by one batch; set it once.")
                }
                for slot in slots { shape.slots.insert(slot) }
                shape.targets.append(target)
            }
            shapes[member.index] = shape
        }
        self.shapes = shapes
        areUnique = entity.family.contains { member in
            model[member].uniquenessConstraints.contains { constraint in
                constraint.slots.contains { shapes[member.index]?.slots.contains($0) == true }
            }
        }
    }

    private static func target(
        _ name: String, of entity: Entity, in model: ManagedObjectModel
    ) throws(StoreError) -> Target {
        switch entity.property(named: name) {
        case .attribute(let attribute)?:
            if attribute.derivation != nil {
                throw StoreError(
                    .invalidRequest,
                    "'\(entity.name).\(name)' is derived: the store computes it, and a batch does not set it."
                )
            }
            return .attribute(attribute)
        case .relationship(let relationship)?:
            guard !relationship.isToMany, model[relationship.inverse].isToMany else {
                throw StoreError(
                    .invalidRequest,
                    "'\(entity.name).\(name)' is a relationship that stands in other rows too; a batch sets "
                        + "to-ones whose inverse is a to-many. Change the objects in a context.")
            }
            return .toOne(relationship, destination: model[relationship.destination])
        case nil:
            throw StoreError(
                .invalidRequest,
                "'\(entity.name)' has no stored property '\(name)' that a batch could set. Use one of the model's; "
                    + "of a composite, its elements.")
        }
    }

    /// Whether objects have an order number in the inverse of the target.
    private static func hasOrder(_ target: Target) -> Bool {
        if case .toOne(let relationship, _) = target {
            relationship.orderSlot != nil
        } else {
            false
        }
    }

    private static func slots(of target: Target) -> [Int] {
        switch target {
        case .attribute(let attribute): return [attribute.slot]
        case .toOne(let relationship, _):
            guard case .toOne(let slot, let entitySlot) = relationship.storage else { return [] }
            return [slot, entitySlot, relationship.orderSlot].compactMap { $0 }
        }
    }

    /// The changed row; nil for a row of another entity. A row that has the values already is
    /// written too, so that a concurrent change of it conflicts.
    func update(
        of row: Row, _ id: ManagedObjectID, in source: SnapshotSource
    ) throws(StoreError) -> RowUpdate? {
        let layout = model[row.entityID].layout
        guard let shape = shapes[row.entityID.index] else { return nil }
        let new = try row.replacing(shape.slots, layout: layout) { builder throws(StoreError) in
            for (target, value) in zip(shape.targets, values) {
                let value = try value.value(of: row, id: id, in: source)
                switch target {
                case .attribute(let attribute):
                    let fit = try fitting(value.scalar, attribute, id)
                    builder.set(fit, at: attribute.slot, as: attribute.kind)
                case .toOne(let relationship, let destination):
                    try set(value.scalar, relationship, destination, id, in: &builder)
                    // An object keeps its order number if it keeps its owner.
                    let old = row.destination(of: relationship, in: model, store: id.store)
                    if let order = relationship.orderSlot, let old, .objectID(old) == value.scalar {
                        builder.copy(order, of: row, layout)
                    }
                }
            }
        }
        return RowUpdate(row: new, baseVersion: row.version, changedSlots: shape.slots)
    }

    /// The slots and their values if both are equal for all rows; nil otherwise.
    func common(in source: SnapshotSource) throws(StoreError) -> (slots: SlotSet, values: Row)? {
        guard let shape = shapes[entity.id.index],
            entity.family.allSatisfy({ shapes[$0.index]?.slots == shape.slots }),
            values.allSatisfy(\.isConstant), !shape.targets.contains(where: Self.hasOrder)
        else { return nil }
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: 0, version: .unsaved)
        builder.endRow()
        let empty = builder.finish()[0]
        let id = ManagedObjectID(store: source.store, entity: entity.handle, key: 0)
        return (shape.slots, try update(of: empty, id, in: source)?.row ?? empty)
    }

    private func fitting(
        _ value: StoredValue, _ attribute: Attribute, _ id: ManagedObjectID
    ) throws(StoreError) -> StoredValue {
        if value.isNull {
            if attribute.isOptional { return .null }
            throw misfit(attribute.name, id, "is null, and the attribute is mandatory")
        }
        guard let converted = value.converted(to: attribute.type) else {
            throw misfit(attribute.name, id, "does not become \(attribute.type)")
        }
        if let problem = attribute.type.problem(with: converted) {
            throw misfit(attribute.name, id, problem)
        }
        return converted
    }

    private func set(
        _ value: StoredValue, _ relationship: Relationship, _ destination: Entity,
        _ id: ManagedObjectID, in builder: inout RowBatchBuilder
    ) throws(StoreError) {
        guard case .toOne(let slot, let entitySlot) = relationship.storage else { return }
        switch value {
        case .null:
            if relationship.isOptional { return }
            throw misfit(relationship.name, id, "is null, and the relationship is mandatory")
        case .objectID(let other):
            guard !other.isTemporaryID, other.store == id.store,
                let entity = model.entity(of: other), entity.isKind(of: destination)
            else {
                throw misfit(
                    relationship.name, id,
                    "is not a saved object of '\(destination.name)' in the store")
            }
            builder.set(integer: other.key, at: slot)
            if let entitySlot { builder.set(integer: Int64(entity.id.index), at: entitySlot) }
        default: throw misfit(relationship.name, id, "is not an object")
        }
    }

    private func misfit(_ name: String, _ id: ManagedObjectID, _ problem: String) -> StoreError {
        StoreError(
            .invalidRequest,
            "The value that a batch gives to '\(entity.name).\(name)' of \(id) \(problem). Use another expression.",
            objectID: id)
    }
}
