import DuramenModel
import DuramenQuery

extension MigrationStep {
    /// Moves objects to other entities of the same hierarchy. Objects keep their keys and all
    /// references to them.
    ///
    /// ```swift
    /// .retype("Event", to: ["Trip"]) { old in old["kind"] == "trip" ? "Trip" : nil }
    /// ```
    /// Attributes of both entities keep their values. Attributes of the new entity alone get their
    /// defaults. Attributes of the old entity alone are discarded.
    /// - Parameters:
    ///   - entity: The entity in the previous version, including its sub-entities.
    ///   - targets: The possible new entities, in the next version.
    ///   - body: Returns the name of one of them; nil for an object that keeps its entity.
    /// - Complexity: One pass; moved objects are read once more.
    public static func retype(
        _ entity: String, to targets: [String],
        _ body: @escaping @Sendable (MigratingRow) throws -> String?
    ) -> MigrationStep {
        MigrationStep(
            "retype \(entity) -> \(targets.joined(separator: ", "))", of: entity,
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

/// Moves objects to other entities, in batches.
private struct Retyping {
    private let work: StepWork
    private let targets: [StoredText: Entity]
    private var pending: [ManagedObjectID: Entity] = [:]

    private static let objectsPerSave = 1_000

    init(_ work: StepWork, _ names: [String]) {
        self.work = work
        let known = names.compactMap { name in
            work.bridge.next.entity(named: name).flatMap(work.bridge.entity(ofNext:)).map {
                (StoredText(name), $0)
            }
        }
        targets = Dictionary(known, uniquingKeysWith: { first, _ in first })
    }

    mutating func add(_ row: MigratingRow, _ name: String) throws(StoreError) {
        guard let entity = targets[StoredText(name)] else {
            throw StoreError(
                .invalidRequest, "'\(name)' is not one of the entities that the step names.",
                objectID: row.objectID)
        }
        if entity.id == row.row.entityID { return }
        pending[row.objectID] = entity
        if pending.count == Self.objectsPerSave { try finish() }
    }

    /// Writes the remaining objects.
    mutating func finish() throws(StoreError) {
        if pending.isEmpty { return }
        var retyped = RetypedObjects(pending, work, try work.store.snapshot())
        try retyped.collect()
        try retyped.write()
        pending = [:]
    }
}

/// A batch of objects that change their entities, with everything that refers to them.
private struct RetypedObjects {
    private let work: StepWork
    /// The state after earlier batches, which may have changed references of these objects.
    private let snapshot: any StoreSnapshot
    private let entities: [ManagedObjectID: Entity]
    private var deletes: [RowDeletion] = []
    private var inserts = RowList()
    private var edges: [RelationshipID: [EdgeChange.Edge]] = [:]
    /// The to-ones that refer to one of the objects, by their owners, each with the new entity.
    private var references: [ManagedObjectID: [RelationshipID: Int64]] = [:]

    private var model: ManagedObjectModel { work.store.model }

    init(
        _ entities: [ManagedObjectID: Entity], _ work: StepWork, _ snapshot: any StoreSnapshot
    ) {
        self.entities = entities
        self.work = work
        self.snapshot = snapshot
    }

    private func id(_ row: Row) -> ManagedObjectID {
        row.objectID(in: model, store: work.store.handle)
    }

    /// The new ID of an object.
    private func newID(_ old: ManagedObjectID) -> ManagedObjectID {
        guard let entity = entities[old] else { return old }
        return ManagedObjectID(store: work.store.handle, entity: entity.handle, key: old.key)
    }

    // MARK: - Collecting

    mutating func collect() throws(StoreError) {
        let rows = Array(try snapshot.batches(for: entities.keys.sorted()).joined())
        var builder = RowBatchBuilder(capacity: 4_096)
        for row in rows {
            guard let entity = entities[id(row)] else { continue }
            append(row, as: entity, &builder)
            deletes.append(RowDeletion(id: id(row), baseVersion: row.version))
        }
        inserts = RowList(builder.finish())
        for (old, group) in Dictionary(grouping: rows, by: \.entityID) {
            for relationship in model[old].relationships {
                // Relationships that the new entity does not have are dropped.
                let kept = group.filter {
                    entities[id($0)]?.relationship(relationship.id) != nil
                }
                if model[relationship.inverse].slot != nil {
                    try collectReferences(relationship, kept)
                } else if relationship.isToMany {
                    try collectPairs(relationship, kept)
                }
            }
        }
    }

    private mutating func collectReferences(
        _ relationship: Relationship, _ rows: [Row]
    ) throws(StoreError) {
        let sources = try snapshot.sources(of: relationship, of: rows, in: work.store)
        for (row, sources) in zip(rows, sources) {
            guard let entity = entities[id(row)] else { continue }
            for source in sources {
                references[source, default: [:]][relationship.inverse] = Int64(entity.id.index)
            }
        }
    }

    private mutating func collectPairs(
        _ relationship: Relationship, _ rows: [Row]
    ) throws(StoreError) {
        let ids = rows.map(id)
        let lists = try snapshot.orderedDestinations(of: relationship.id, from: ids)
        let inverse = model[relationship.inverse]
        // A pair of two moved objects is written from one side only.
        let isBack = inverse.id < relationship.id
        for (own, list) in zip(ids, lists) {
            for end in list where !(isBack && entities[end.id] != nil) {
                edges[relationship.id, default: []].append(
                    EdgeChange.Edge(
                        from: newID(own), to: newID(end.id), order: end.order,
                        inverseOrder: try snapshot.order(of: own, in: inverse, of: end.id)))
            }
        }
    }

    /// Appends the row as one of another entity, with the values that both have.
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

    // MARK: - Writing

    func write() throws(StoreError) {
        // A key is free only after its old row is gone.
        try work.save(ChangeSet(deletes: deletes))
        try work.save(
            ChangeSet(
                inserts: inserts,
                edges: edges.map { EdgeChange(relationship: $0, added: $1) }))
        if references.isEmpty { return }
        // Some of the owners were moved themselves.
        let wanted = Dictionary(
            references.map { (newID($0), $1) }, uniquingKeysWith: { first, _ in first })
        let snapshot = try work.store.snapshot()
        let writer = work.writer()
        for part in wanted.keys.sorted().parts {
            for row in try snapshot.batches(for: part).joined() {
                var values: [Int: Int64?] = [:]
                for (id, entity) in wanted[id(row)] ?? [:] {
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
    /// Returns the row with other integers in some slots; nil sets null.
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
