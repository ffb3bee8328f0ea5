import DuramenModel
import DuramenQuery

/// What has to go with some objects, and what loses a reference, by the delete rules of one state.
///
/// ```
///   rows asked for ──cascade──► doomed ──deny──► refused, or ──nullify──► references to take away
/// ```
struct DeletionPlan {
    private let snapshot: any StoreSnapshot
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let cancellation: CancellationFlag?
    /// By entity, the relationships that reach other objects.
    private let rules: [[Relationship]]

    /// All that is to be deleted.
    private(set) var doomed: Set<ManagedObjectID> = []
    /// What stays, with the slots that are to be null.
    private(set) var nullified: [ManagedObjectID: SlotSet] = [:]
    private var unseen: [ManagedObjectID] = []

    init(
        _ snapshot: any StoreSnapshot, _ store: any PersistentStore,
        _ cancellation: CancellationFlag?
    ) {
        self.snapshot = snapshot
        self.cancellation = cancellation
        model = store.model
        self.store = store.handle
        rules = store.model.entities.map { entity in
            entity.relationships.filter { relationship in
                switch relationship.deleteRule {
                case .noAction: false
                case .cascade, .deny: true
                // Only rows with a to-one hold something of the other object.
                case .nullify: !store.model[relationship.inverse].isToMany
                }
            }
        }
    }

    /// Whether the deletion of an object of an entity concerns nobody else.
    func isAlone(_ entity: EntityID) -> Bool { rules[entity.index].isEmpty }

    /// Adds rows that are to be deleted.
    mutating func add(_ rows: [Row]) throws(StoreError) {
        let new = rows.filter {
            doomed.insert($0.objectID(in: model, store: store)).inserted
        }
        try cascade(from: new)
        // Chains may be long: part by part, and not one within the other.
        while !unseen.isEmpty {
            let part = Array(unseen.suffix(BatchSettings.rowsPerPart))
            unseen.removeLast(part.count)
            try cascade(from: Array(snapshot.batches(for: part).joined()))
        }
    }

    private mutating func cascade(from rows: [Row]) throws(StoreError) {
        try forEachRow(of: rows) { plan, row, relationship, ends throws(StoreError) in
            if relationship.deleteRule == .cascade { ends.forEach { plan.doom($0) } }
        }
    }

    private mutating func doom(_ id: ManagedObjectID) {
        guard doomed.insert(id).inserted, let entity = model.entity(of: id) else { return }
        if rules[entity.id.index].contains(where: { $0.deleteRule == .cascade }) {
            unseen.append(id)
        }
    }

    /// Looks for what is denied and what loses a reference, once all that is deleted is known.
    ///
    /// - Throws: `.deletionDenied`
    mutating func finish() throws(StoreError) {
        let ids = doomed.filter { id in
            model.entity(of: id).map { !isAlone($0.id) } ?? false
        }.sorted()
        for part in ids.parts {
            try forEachRow(of: Array(snapshot.batches(for: part).joined())) {
                plan, row, relationship, ends throws(StoreError) in
                let left = ends.filter { !plan.doomed.contains($0) }
                if left.isEmpty { return }
                switch relationship.deleteRule {
                case .deny: throw plan.denied(row, relationship)
                case .nullify: left.forEach { plan.nullify(relationship, at: $0) }
                case .cascade, .noAction: break
                }
            }
        }
    }

    private mutating func nullify(_ relationship: Relationship, at id: ManagedObjectID) {
        guard let entity = model.entity(of: id),
            let inverse = entity.relationship(relationship.inverse),
            case .toOne(let slot, let entitySlot) = inverse.storage
        else { return }
        for slot in [slot, entitySlot, inverse.orderSlot].compactMap({ $0 }) {
            nullified[id, default: SlotSet()].insert(slot)
        }
    }

    private func denied(_ row: Row, _ relationship: Relationship) -> StoreError {
        let id = row.objectID(in: model, store: store)
        return StoreError(
            .deletionDenied,
            "\(id) cannot be deleted while its '\(relationship.name)' has objects that stay. Delete these too, or "
                + "remove them from the relationship first.", objectID: id)
    }

    /// Calls `body` with each row, each relationship of it that has a rule, and where that leads.
    private mutating func forEachRow(
        of rows: [Row],
        _ body: (inout DeletionPlan, Row, Relationship, [ManagedObjectID]) throws(StoreError) ->
            Void
    ) throws(StoreError) {
        if cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "The batch was cancelled; nothing was written.")
        }
        var byEntity: [EntityID: [Row]] = [:]
        for row in rows { byEntity[row.entityID, default: []].append(row) }
        for (entity, rows) in byEntity.sorted(by: { $0.key < $1.key }) {
            for relationship in rules[entity.index] {
                if relationship.isToMany {
                    let ids = rows.map { $0.objectID(in: model, store: store) }
                    let ends = try snapshot.destinations(of: relationship.id, from: ids)
                    for (row, ends) in zip(rows, ends) where !ends.isEmpty {
                        try body(&self, row, relationship, ends)
                    }
                } else {
                    for row in rows {
                        let end = row.destination(of: relationship, in: model, store: store)
                        if let end { try body(&self, row, relationship, [end]) }
                    }
                }
            }
        }
    }
}
