import DuramenModel
import DuramenStore

/// Refuses change sets that no context sends, at the cost of a few words read per row.
struct ChangeCheck {
    private let schema: AppleSchema
    // By entity, so that no row looks into the model.
    private let slotCounts: ContiguousArray<Int>
    private let referenceSlots: ContiguousArray<Int>
    /// Where the slots of each entity begin; one more at the end.
    private let referenceStarts: ContiguousArray<Int>
    private let tables: ContiguousArray<Int>

    init(schema: AppleSchema) {
        self.schema = schema
        let entities = schema.model.entities
        slotCounts = ContiguousArray(entities.map(\.layout.slotCount))
        tables = ContiguousArray(schema.tableIndexes)
        var starts: ContiguousArray<Int> = [0]
        var slots = ContiguousArray<Int>()
        for entity in entities {
            for (slot, kind) in entity.layout.kinds.enumerated() where kind == .reference {
                slots.append(slot)
            }
            starts.append(slots.count)
        }
        referenceStarts = starts
        referenceSlots = slots
    }

    func check(_ changes: ChangeSet) throws(StoreError) {
        if !changes.inserts.withUnsafeBufferPointer(fit) { throw misfit }
        for change in changes.updates where !fits(change.row) { throw misfit }
        for change in changes.edges {
            for edge in change.added + change.removed {
                for id in [edge.source, edge.destination] where id.store != schema.store {
                    throw StoreError(
                        .invalidRequest, "A pair names an object that is not of this store.",
                        objectID: id)
                }
            }
        }
        for deletion in changes.deletes {
            guard deletion.id.store == schema.store, schema.model.entity(of: deletion.id) != nil
            else {
                throw StoreError(
                    .invalidRequest, "A deletion names an object that is not of this store.",
                    objectID: deletion.id)
            }
        }
    }

    private var misfit: StoreError {
        StoreError(
            .invalidRequest,
            "A row of the change set does not fit the store's model, or has a key that was never "
                + "allocated, its own or that of a to-one.")
    }

    private func fit(_ rows: UnsafeBufferPointer<Row>) -> Bool {
        for place in rows.indices where !fits(rows[place]) { return false }
        return true
    }

    @inline(__always) private func fits(_ row: borrowing Row) -> Bool {
        let entity = row.entityID.index
        guard entity < slotCounts.count, row.slotCount == slotCounts[entity], row.key > 0 else {
            return false
        }
        for place in referenceStarts[entity]..<referenceStarts[entity + 1] {
            let slot = referenceSlots[place]
            if row.integer(slot) <= 0, !row.isNull(slot) { return false }
        }
        return true
    }

    /// Raises the first free key of each table above the keys of rows.
    func raise(_ free: inout [Int64], _ rows: [Row]) {
        rows.withUnsafeBufferPointer { rows in
            for place in rows.indices {
                let key = rows[place].key
                let table = tables[rows[place].entityID.index]
                if key >= free[table] { free[table] = key == .max ? key : key + 1 }
            }
        }
    }
}
