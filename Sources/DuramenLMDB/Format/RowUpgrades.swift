import DuramenModel
import DuramenStore
import Foundation

/// Reads rows that were written with earlier versions of the model, so that changing the model rewrites nothing.
///
/// What the present version has and the earlier one had not is null or the declared default, and so is null in what is
/// mandatory now; what it has no more is left out.
/// Properties and entities are found by their names, or by their renaming identifiers.
struct RowUpgrades: Sendable {
    /// Where one slot of a present row comes from.
    private enum Source: Sendable {
        /// With what stands for null.
        case slot(Int, ifNull: StoredValue)
        case entitySlot(Int)
        case value(StoredValue)
    }

    private struct Plan: Sendable {
        var entity: EntityID
        var sources: [Source]
        var layout: RowLayout
    }

    /// By schema, then by the entity's place in it; nil for entities that are gone.
    private let plans: [[Plan?]]
    /// By schema, then by the entity's place in it.
    private let layouts: [[StoredLayout]]
    /// By schema: the present place of each of its entities; negative when it is gone.
    private let entities: [[Int]]

    init(_ schemas: [Catalog.Schema], model: ManagedObjectModel) {
        var plans: [[Plan?]] = []
        var entities: [[Int]] = []
        for schema in schemas {
            let found = schema.entities.map { Self.entity(for: $0.name, in: model) }
            entities.append(found.map { $0?.id.index ?? -1 })
            plans.append(
                zip(schema.entities, found).map { old, entity in
                    entity.map { Self.plan(old, for: $0) }
                })
        }
        self.plans = plans
        self.entities = entities
        layouts = schemas.map { $0.entities.map(StoredLayout.init) }
    }

    private static func entity(for name: String, in model: ManagedObjectModel) -> Entity? {
        model.entities.first { $0.renamingIdentifier.map { StoredText($0) } == StoredText(name) }
            ?? model.entity(named: name)
    }

    private static func plan(_ old: Catalog.EntityLayout, for entity: Entity) -> Plan {
        let kinds = old.slots.map(\.slotKind)
        var sources = entity.layout.kinds.map { _ in Source.value(.null) }
        // What has another name now is not taken for a new property of its old name.
        let renamed = Set(
            (entity.attributes.map(\.renamingIdentifier)
                + entity.relationships.map(\.renamingIdentifier))
                .compactMap { $0.map { StoredText($0) } })
        func oldSlot(_ name: String, _ identifier: String?, _ kind: SlotKind) -> Int? {
            let own = renamed.contains(StoredText(name)) ? nil : name
            for sought in [identifier, own].compactMap({ $0 }) {
                let slot = old.slots.indices.first {
                    StoredText(old.slots[$0].name) == StoredText(sought) && kinds[$0] == kind
                }
                if let slot { return slot }
            }
            return nil
        }
        for attribute in entity.attributes {
            let slot = oldSlot(attribute.name, attribute.renamingIdentifier, attribute.kind)
            let ifNull = attribute.isOptional ? .null : attribute.defaultValue
            sources[attribute.slot] =
                slot.map { .slot($0, ifNull: ifNull) } ?? .value(attribute.defaultValue)
        }
        for relationship in entity.relationships {
            guard case .toOne(let slot, let entitySlot) = relationship.storage else { continue }
            let name = relationship.renamingIdentifier
            if let old = oldSlot(relationship.name, name, .reference) {
                sources[slot] = .slot(old, ifNull: .null)
            }
            if let entitySlot, let old = oldSlot(relationship.name, name, .referenceEntity) {
                sources[entitySlot] = .entitySlot(old)
            }
            let orderName = Catalog.Schema.orderName
            if let orderSlot = relationship.orderSlot,
                let old = oldSlot(orderName(relationship.name), name.map(orderName), .integer)
            {
                sources[orderSlot] = .slot(old, ifNull: .null)
            }
        }
        return Plan(entity: entity.id, sources: sources, layout: entity.layout)
    }

    /// The present entity of a row that was written with a schema; nil when it is gone or unknown.
    @inline(__always) func entity(_ index: Int, schema: UInt16) -> EntityID? {
        guard Int(schema) < entities.count, index < entities[Int(schema)].count else { return nil }
        let found = entities[Int(schema)][index]
        return found < 0 ? nil : EntityID(index: found)
    }

    /// Copies a row of an earlier schema in the layout of the present one.
    ///
    /// - Parameter setExternal: Gives a slot a value that stands behind a tag.
    /// - Returns: Whether the row was sound.
    func append(
        _ row: PackedRow, schema: UInt16, to builder: inout RowBatchBuilder,
        setExternal: (
            UnsafeRawBufferPointer, Int, EntityID, inout RowBatchBuilder
        ) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        guard Int(schema) < plans.count, row.entityIndex < plans[Int(schema)].count,
            let plan = plans[Int(schema)][row.entityIndex],
            let old = layout(of: row, schema: schema)
        else { return false }
        builder.beginRow(
            entity: plan.entity, slotCount: plan.layout.slotCount, key: row.key,
            version: row.version)
        for (slot, source) in plan.sources.enumerated() {
            switch source {
            case .value(let value): builder.set(value, at: slot, as: plan.layout.kinds[slot])
            case .slot(let source, let ifNull):
                if row.isNull(source) {
                    builder.set(ifNull, at: slot, as: plan.layout.kinds[slot])
                    continue
                }
                if plan.layout.kinds[slot].isTail {
                    guard let bytes = row.bytes(source) else { continue }
                    if old.externalSlots.contains(source) {
                        try setExternal(bytes, slot, plan.entity, &builder)
                    } else {
                        builder.set(bytes: bytes, at: slot)
                    }
                } else {
                    builder.set(integer: row.integer(source), at: slot)
                }
            case .entitySlot(let old):
                let index = row.isNull(old) ? -1 : Int(row.integer(old))
                if index >= 0, let entity = entity(index, schema: schema) {
                    builder.set(integer: Int64(entity.index), at: slot)
                }
            }
        }
        builder.endRow()
        return true
    }

    /// The layout of a row; nil when it is unknown or the row does not fit it.
    private func layout(of row: PackedRow, schema: UInt16) -> StoredLayout? {
        guard Int(schema) < layouts.count, row.entityIndex < layouts[Int(schema)].count else {
            return nil
        }
        let layout = layouts[Int(schema)][row.entityIndex]
        return layout.fits(row) ? layout : nil
    }

    /// Whether rows of some schema may refer to files.
    var haveFiles: Bool { layouts.contains { $0.contains { !$0.externalSlots.isEmpty } } }

    /// The names of the files that a row of any schema refers to; nil when it is not sound.
    func fileNames(of row: PackedRow, schema: UInt16) -> [UUID]? {
        layout(of: row, schema: schema)?.fileNames(of: row)
    }
}
