import DuramenModel
import DuramenQuery

/// The objects to delete with some rows, and those that lose a reference, by the delete rules of
/// one state.
///
/// ```
///   requested rows ──cascade──► doomed ──deny──► refused, or ──nullify──► references to clear
/// ```
struct DeletionPlan {
    private let snapshot: any StoreSnapshot
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let cancellation: CancellationFlag?
    /// By entity, the relationships that affect other objects.
    private let rules: [[Relationship]]

    /// All objects to delete.
    private(set) var doomed: Set<ManagedObjectID> = []
    /// Objects that stay, with the slots to set to null.
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
                // Only a to-one relationship stores a reference in the other object's row.
                case .nullify: !store.model[relationship.inverse].isToMany
                }
            }
        }
    }

    /// Whether deleting an object of an entity affects no other object.
    func isAlone(_ entity: EntityID) -> Bool { rules[entity.index].isEmpty }

    /// Adds rows to delete.
    mutating func add(_ rows: [Row]) throws(StoreError) {
        let new = rows.filter {
            doomed.insert($0.objectID(in: model, store: store)).inserted
        }
        try cascade(from: new)
        // Chains may be long, so the parts are a loop and not a recursion.
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

    /// Finds denied deletions and references to clear, once all objects to delete are known.
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
            "\(id) cannot be deleted while its '\(relationship.name)' refers to objects that stay. Delete these too, or "
                + "remove them from it first.", objectID: id)
    }

    /// Calls `body` with each row, each of its relationships that has a rule, and the destinations.
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
