import DuramenModel
import DuramenQuery

/// One salvage.
final class SalvageRun {
    private let source: any PersistentStore
    private let destination: any PersistentStore
    private let snapshot: any StoreSnapshot
    private let filling: StoreFilling
    private let cancellation: CancellationFlag?
    private var losses: [String] = []
    /// The keys of the objects in the new store, by the index of their root entity.
    private var keys: [Set<Int64>]

    private static let batchRows = 500

    private var model: ManagedObjectModel { source.model }

    init(
        from source: any PersistentStore, to destination: any PersistentStore,
        _ cancellation: CancellationFlag?
    ) throws(StoreError) {
        self.source = source
        self.destination = destination
        self.cancellation = cancellation
        snapshot = try source.snapshot()
        // Derived values are computed again, because a part of their sources may be lost.
        filling = try StoreFilling(
            destination, cancellation: cancellation, keepsDerivedValues: false)
        keys = Array(repeating: [], count: source.model.entities.count)
    }

    func run() throws(StoreError) -> [String] {
        for entity in model.entities where entity.superentity == nil {
            try copyObjects(of: entity)
        }
        for entity in model.entities where entity.superentity == nil {
            try mendReferences(of: entity)
        }
        try copyPairs()
        try filling.finish(userInfo())
        return losses
    }

    private func userInfo() -> [String: StoredValue] {
        do throws(StoreError) {
            return try source.metadata().userInfo
        } catch {
            losses.append("The entries of the metadata: \(error.message)")
            return [:]
        }
    }

    // MARK: - Objects

    private func copyObjects(of root: Entity) throws(StoreError) {
        do throws(StoreError) {
            // No object may be copied twice, so a damaged one must be found before others are
            // copied.
            try StoreWalk(source, snapshot, cancellation: cancellation)
                .forEachBatch(of: root) { (_) throws(StoreError) in }
        } catch {
            if error.code == .cancelled { throw error }
            return try copyOneByOne(root, after: error)
        }
        try StoreWalk(source, snapshot, cancellation: cancellation)
            .forEachBatch(of: root) { (rows) throws(StoreError) in try insert(rows) }
    }

    /// Copies the objects of an entity, of which at least one cannot be read.
    private func copyOneByOne(_ root: Entity, after failure: StoreError) throws(StoreError) {
        let query = source.pushdown(for: StoreQuery(entity: root.id)).prepared
        let ids: [ManagedObjectID]
        do throws(StoreError) {
            ids = try snapshot.objectIDs(query)
        } catch {
            losses.append("All objects of '\(root.name)': \(failure.message)")
            return
        }
        for start in stride(from: 0, to: ids.count, by: Self.batchRows) {
            let group = Array(ids[start..<min(start + Self.batchRows, ids.count)])
            if let rows = try readable(group) {
                try insert(rows)
                continue
            }
            for id in group {
                let row: RowBatch
                do throws(StoreError) {
                    row = try snapshot.rows(for: [id])
                } catch {
                    if error.code == .cancelled { throw error }
                    losses.append("\(id): \(error.message)")
                    continue
                }
                try insert(row)
            }
        }
    }

    private func readable(_ ids: [ManagedObjectID]) throws(StoreError) -> RowBatch? {
        if cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "Salvaging the store was cancelled.")
        }
        return try? snapshot.rows(for: ids)
    }

    private func insert(_ rows: RowBatch) throws(StoreError) {
        if rows.isEmpty { return }
        if try refusal(of: RowList(rows)) == nil {
            for row in rows { keys[model[row.entityID].root.index].insert(row.key) }
            return
        }
        // Damage can give two objects one unique value; the first one keeps it.
        for row in rows {
            let possible = withoutReferences(row) { (key, _) in key <= 0 }?.row ?? row
            if let reason = try refusal(of: RowList([possible])) {
                losses.append("\(row.objectID(in: model, store: source.handle)): \(reason)")
            } else {
                keys[model[row.entityID].root.index].insert(row.key)
            }
        }
    }

    /// Saves rows.
    ///
    /// - Returns: The reason why no store can have them; nil once they are saved.
    private func refusal(of rows: RowList) throws(StoreError) -> String? {
        do throws(StoreError) {
            return try filling.conflict(saving: ChangeSet(inserts: rows))
        } catch {
            // Damage can make keys that no object has.
            if error.code == .invalidRequest { return error.message }
            throw error
        }
    }

    // MARK: - References

    /// Sets references to missing objects to nil.
    private func mendReferences(of root: Entity) throws(StoreError) {
        let copies = try destination.snapshot()
        try StoreWalk(destination, copies, cancellation: cancellation)
            .forEachBatch(of: root) { (rows) throws(StoreError) in
                var changes = ChangeSet()
                for row in rows {
                    let mended = withoutReferences(row) { (key, root) in
                        !keys[root.index].contains(key)
                    }
                    if let mended {
                        changes.updates.append(
                            RowUpdate(
                                row: mended.row, baseVersion: row.version,
                                changedSlots: mended.slots))
                    }
                }
                if !changes.updates.isEmpty { try filling.save(changes) }
            }
    }

    /// A row without the references that are lost; nil when all are whole.
    ///
    /// - Parameter isLost: Returns whether an object is missing, given its key and its root entity.
    private func withoutReferences(
        _ row: Row, _ isLost: (Int64, EntityID) -> Bool
    ) -> (row: Row, slots: SlotSet)? {
        let entity = model[row.entityID]
        var lost = SlotSet()
        for relationship in entity.relationships {
            guard case .toOne(let slot, let entitySlot) = relationship.storage,
                !row.isNull(slot)
            else { continue }
            let root = model[relationship.destination].root
            if !isLost(row.integer(slot), root) { continue }
            for slot in [slot, entitySlot, relationship.orderSlot].compactMap(\.self) {
                lost.insert(slot)
            }
            let id = row.objectID(in: model, store: source.handle)
            losses.append(
                "\(id).\(relationship.name): it refers to \(model[relationship.destination].name)/p"
                    + "\(row.integer(slot)), which is lost, and is nil now.")
        }
        if lost.isEmpty { return nil }
        var builder = RowBatchBuilder(capacity: 1 << 10)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: row.key,
            version: row.version)
        for slot in 0..<entity.layout.slotCount where !lost.contains(slot) {
            builder.copy(slot, of: row, entity.layout)
        }
        builder.endRow()
        return (builder.finish()[0], lost)
    }

    // MARK: - Pairs

    /// A pair, from the side of the relationship with the smaller ID.
    private struct Pair: Hashable {
        var relationship: RelationshipID
        var source: ManagedObjectID
        var destination: ManagedObjectID
    }

    /// Copies the pairs that either side has.
    private func copyPairs() throws(StoreError) {
        var orders: [Pair: (order: Int64?, inverse: Int64?)] = [:]
        var lost: [RelationshipID: Int] = [:]
        let copies = try destination.snapshot()
        let walk = StoreWalk(source, snapshot, cancellation: cancellation)
        for root in model.entities where root.superentity == nil {
            // The rows of the copy, since those of the source may be damaged.
            try StoreWalk(destination, copies, cancellation: cancellation)
                .forEachBatch(of: root) { (rows) throws(StoreError) in
                    do throws(StoreError) {
                        try walk.forEachPair(of: rows) { relationship, edge in
                            note(relationship, edge, &orders, &lost)
                        }
                    } catch {
                        if error.code == .cancelled { throw error }
                        losses.append("Pairs of objects of '\(root.name)': \(error.message)")
                    }
                }
        }
        for (id, count) in lost.sorted(by: { $0.key < $1.key }) {
            let relationship = model[id]
            let owner = model[relationship.declaringEntity].name
            losses.append(
                "\(owner).\(relationship.name): \(count) pairs with objects that are lost.")
        }
        var changes: [RelationshipID: EdgeChange] = [:]
        for (pair, order) in orders {
            changes[pair.relationship, default: EdgeChange(relationship: pair.relationship)]
                .added.append(
                    .init(
                        from: pair.source, to: pair.destination, order: order.order,
                        inverseOrder: order.inverse))
        }
        for id in changes.keys.sorted() {
            let all =
                changes[id]?.added.sorted {
                    ($0.source, $0.destination) < ($1.source, $1.destination)
                } ?? []
            for start in stride(from: 0, to: all.count, by: Self.batchRows) {
                let part = Array(all[start..<min(start + Self.batchRows, all.count)])
                try filling.save(ChangeSet(edges: [EdgeChange(relationship: id, added: part)]))
            }
        }
    }

    private func note(
        _ relationship: Relationship, _ edge: EdgeChange.Edge,
        _ orders: inout [Pair: (order: Int64?, inverse: Int64?)],
        _ lost: inout [RelationshipID: Int]
    ) {
        guard isThere(edge.source), isThere(edge.destination) else {
            return lost[min(relationship.id, relationship.inverse), default: 0] += 1
        }
        let (source, other) = (own(edge.source), own(edge.destination))
        if relationship.id <= relationship.inverse {
            let pair = Pair(relationship: relationship.id, source: source, destination: other)
            orders[pair, default: (nil, nil)].order = edge.order ?? orders[pair]?.order
        }
        if relationship.inverse <= relationship.id {
            let pair = Pair(relationship: relationship.inverse, source: other, destination: source)
            orders[pair, default: (nil, nil)].inverse = edge.order ?? orders[pair]?.inverse
        }
    }

    private func isThere(_ id: ManagedObjectID) -> Bool {
        model.entity(of: id).map { keys[$0.root.index].contains(id.key) } ?? false
    }

    /// The ID of the copy of an object.
    private func own(_ id: ManagedObjectID) -> ManagedObjectID {
        guard let entity = model.entity(of: id) else { return id }
        return ManagedObjectID(store: destination.handle, entity: entity.handle, key: id.key)
    }
}
