import DuramenModel
import DuramenQuery

extension MigrationStep {
    /// Makes objects objects of other entities of the same hierarchy. They keep their keys, and
    /// what leads to them leads to them afterwards.
    ///
    /// ```swift
    /// .retype("Event", to: ["Trip"]) { old in old["kind"] == "trip" ? "Trip" : nil }
    /// ```
    /// Values that both entities have are kept. What only the other one has is its default, or
    /// null; what only the first one had is gone.
    /// - Parameters:
    ///   - entity: The entity in the version before, with its sub-entities.
    ///   - targets: The entities that objects may become, in the next version.
    ///   - body: Gives the name of one of them; nil for an object that stays what it is.
    /// - Complexity: One pass; objects that change are looked at once more.
    public static func retype(
        _ entity: String, to targets: [String],
        _ body: @escaping @Sendable (MigratingRow) throws -> String?
    ) -> MigrationStep {
        MigrationStep(
            "retype \(entity) -> \(targets.joined(separator: ", "))",
            check: { bridge in
                var problems: [String] = []
                guard let current = bridge.currentEntity(entity, &problems),
                    let between = bridge.model.entity(named: current.name)
                else { return problems }
                for target in targets {
                    guard let next = bridge.next.entity(named: target) else {
                        problems.append("the next version has no entity '\(target)'")
                        continue
                    }
                    if next.isAbstract { problems.append("'\(target)' is abstract") }
                    if bridge.entity(ofNext: next)?.root != between.root {
                        problems.append(
                            "'\(target)' and '\(entity)' have no ancestor in common, so that objects would get other "
                                + "keys; use a step run")
                    }
                }
                return problems
            },
            body: { work in
                guard let between = work.bridge.model.entity(named: entity) else { return }
                var retyping = Retyping(work, targets)
                try work.forEachRow(of: between) { (row) throws in
                    guard let name = try body(row) else { return }
                    try retyping.add(row, name)
                }
                try retyping.finish()
            })
    }
}

/// Gives rows other entities.
private struct Retyping {
    private let work: StepWork
    private let targets: [StoredText: Entity]
    private var pending: [(row: Row, entity: Entity)] = []

    private static let rowsPerSave = 1_000

    init(_ work: StepWork, _ names: [String]) {
        self.work = work
        let known = names.compactMap { name in
            work.bridge.next.entity(named: name).flatMap(work.bridge.entity(ofNext:)).map {
                (StoredText(name), $0)
            }
        }
        targets = Dictionary(known, uniquingKeysWith: { first, _ in first })
    }

    private var model: ManagedObjectModel { work.store.model }

    mutating func add(_ row: MigratingRow, _ name: String) throws(StoreError) {
        guard let entity = targets[StoredText(name)] else {
            throw StoreError(
                .invalidRequest, "'\(name)' is not one of the entities that the step names.",
                objectID: row.objectID)
        }
        if entity.id == row.row.entityID { return }
        pending.append((row.row, entity))
        if pending.count == Self.rowsPerSave { try finish() }
    }

    /// Writes what is left: the references to the objects, then the objects themselves.
    mutating func finish() throws(StoreError) {
        if pending.isEmpty { return }
        let snapshot = try work.store.snapshot()
        var inserts = RowBatchBuilder(capacity: 4_096)
        var deletes: [RowDeletion] = []
        var edges: [RelationshipID: [EdgeChange.Edge]] = [:]
        // By row: the to-ones that lead to another entity now.
        var references: [ManagedObjectID: [RelationshipID: Int64]] = [:]
        let handle = work.store.handle
        let changed = Dictionary(
            pending.map { ($0.row.objectID(in: model, store: handle), $0.entity) },
            uniquingKeysWith: { first, _ in first })
        func id(_ old: ManagedObjectID) -> ManagedObjectID {
            changed[old].map { ManagedObjectID(store: handle, entity: $0.handle, key: old.key) }
                ?? old
        }
        for (old, group) in Dictionary(grouping: pending, by: \.row.entityID) {
            let ids = group.map { $0.row.objectID(in: model, store: handle) }
            for relationship in model[old].relationships {
                switch relationship.storage {
                case .toOne: break
                case .inverseOfToOne:
                    let lists = try snapshot.destinations(of: relationship.id, from: ids)
                    for (place, list) in lists.enumerated()
                    where group[place].entity.relationship(relationship.id) != nil {
                        for source in list {
                            references[source, default: [:]][relationship.inverse] = Int64(
                                group[place].entity.id.index)
                        }
                    }
                case .manyToMany:
                    let lists = try snapshot.orderedDestinations(of: relationship.id, from: ids)
                    let isBack = relationship.inverse < relationship.id
                    for (place, list) in lists.enumerated()
                    where group[place].entity.relationship(relationship.id) != nil {
                        // Both ends may change; each pair is written once.
                        for end in list where !(isBack && changed[end.id] != nil) {
                            let back = try snapshot.orderedDestinations(
                                of: relationship.inverse, from: [end.id]
                            ).first?.first { $0.id == ids[place] }?.order
                            edges[relationship.id, default: []].append(
                                EdgeChange.Edge(
                                    from: id(ids[place]), to: id(end.id), order: end.order,
                                    inverseOrder: back ?? nil))
                        }
                    }
                }
            }
            // A to-one of one whose other end is a to-one has it in two rows.
            for (place, (row, entity)) in group.enumerated() {
                append(row, as: entity, &inserts)
                deletes.append(RowDeletion(id: ids[place], baseVersion: row.version))
                for relationship in model[old].relationships where relationship.slot != nil {
                    guard model[relationship.inverse].slot != nil,
                        entity.relationship(relationship.id) != nil,
                        let partner = row.destination(of: relationship, in: model, store: handle)
                    else { continue }
                    references[partner, default: [:]][relationship.inverse] = Int64(entity.id.index)
                }
            }
        }
        let rows = inserts.finish()
        try work.save(ChangeSet(deletes: deletes))
        let changes = edges.map { EdgeChange(relationship: $0, added: $1) }
        try work.save(ChangeSet(inserts: RowList(rows), edges: changes))
        try write(references, id)
        pending = []
    }

    /// The row as one of another entity, with the values that both have.
    private func append(_ row: Row, as entity: Entity, _ builder: inout RowBatchBuilder) {
        let old = model[row.entityID]
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: row.key, version: .unsaved)
        for attribute in entity.attributes {
            if case .attribute(let before)? = old.property(named: attribute.name),
                before.kind == attribute.kind
            {
                builder.set(
                    row.value(before.slot, before.kind), at: attribute.slot, as: attribute.kind)
            } else {
                builder.set(attribute.defaultValue, at: attribute.slot, as: attribute.kind)
            }
        }
        for relationship in entity.relationships {
            guard case .toOne(let slot, let entitySlot) = relationship.storage,
                case .toOne(let oldSlot, let oldEntitySlot)? = old.relationship(relationship.id)?
                    .storage, !row.isNull(oldSlot)
            else { continue }
            builder.set(integer: row.integer(oldSlot), at: slot)
            if let entitySlot, let oldEntitySlot, !row.isNull(oldEntitySlot) {
                builder.set(integer: row.integer(oldEntitySlot), at: entitySlot)
            }
            if let order = relationship.orderSlot,
                let oldOrder = old.relationship(relationship.id)?.orderSlot, !row.isNull(oldOrder)
            {
                builder.set(integer: row.integer(oldOrder), at: order)
            }
        }
        builder.endRow()
    }

    private func write(
        _ references: [ManagedObjectID: [RelationshipID: Int64]],
        _ id: (ManagedObjectID) -> ManagedObjectID
    ) throws(StoreError) {
        if references.isEmpty { return }
        let snapshot = try work.store.snapshot()
        let writer = work.writer()
        // Some of them may have become something else themselves.
        let wanted = Dictionary(
            references.map { (id($0), $1) }, uniquingKeysWith: { first, _ in first })
        for part in wanted.keys.sorted().parts {
            for row in try snapshot.batches(for: part).joined() {
                var values: [Int: Int64?] = [:]
                for (id, entity) in wanted[row.objectID(in: model, store: work.store.handle)] ?? [:]
                {
                    if case .toOne(_, let slot?)? = model[row.entityID].relationship(id)?.storage {
                        values[slot] = entity
                    }
                }
                if let update = row.update(setting: values, in: model) { try writer.add(update) }
            }
        }
        try writer.finish()
    }
}

extension Row {
    /// The row with other integers in some slots; null for nil.
    func update(setting values: [Int: Int64?], in model: ManagedObjectModel) -> RowUpdate? {
        var slots = SlotSet()
        for slot in values.keys { slots.insert(slot) }
        if slots.isEmpty { return nil }
        let new = replacing(slots, layout: model[entityID].layout) { builder in
            for (slot, value) in values {
                if let value { builder.set(integer: value, at: slot) }
            }
        }
        return RowUpdate(row: new, baseVersion: version, changedSlots: slots)
    }
}
