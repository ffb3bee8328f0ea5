import DuramenModel
import DuramenStore

/// Copies rows into separate blocks, so that a store never keeps a caller's memory alive.
enum CompactRows {
    // Small enough that a few deleted rows waste little memory, large enough to allocate rarely.
    private static let blockBytes = 16_384

    /// Returns copies of rows, in order, with the version of the save.
    static func copies(of rows: RowList, model: ManagedObjectModel, version: RowVersion) -> [Row] {
        var result: [Row] = []
        result.reserveCapacity(rows.count)
        var first = 0
        while first < rows.count {
            var end = first
            var bytes = 0
            while end < rows.count, end == first || bytes < blockBytes {
                bytes += size(of: rows[end], layout: model[rows[end].entityID].layout)
                end += 1
            }
            var builder = RowBatchBuilder(capacity: bytes)
            for row in rows[first..<end] {
                builder.append(row, layout: model[row.entityID].layout, version: version)
            }
            result += builder.finish()
            first = end
        }
        return result
    }

    /// The bytes of a copy, including headers and alignment.
    private static func size(of row: Row, layout: RowLayout) -> Int {
        var bytes = 40 + (layout.slotCount / 64 + layout.slotCount) * 8
        for slot in 0..<layout.slotCount where layout.kinds[slot].isTail && !row.isNull(slot) {
            bytes += row.unsafeBytes(slot).count
        }
        return bytes
    }
}

/// Copies of stored rows, or of some of their slots, for callers.
struct RowCopies: ~Copyable {
    private let model: ManagedObjectModel
    private let slots: SlotSet?
    private var builder: RowBatchBuilder
    // Looked up again when the entity changes.
    private var layout: (entity: EntityID, layout: RowLayout)?

    /// Creates an empty list with room for some rows.
    init(model: ManagedObjectModel, slots: SlotSet? = nil, capacity: Int) {
        self.model = model
        self.slots = slots
        builder = RowBatchBuilder(capacity: capacity * 128)
    }

    /// Whether a batch should end here.
    var isFull: Bool { builder.isFull }

    mutating func append(_ row: Row) {
        let entity = row.entityID
        if layout?.entity != entity { layout = (entity, model[entity].layout) }
        guard let layout = layout?.layout else { return }
        if let slots {
            builder.append(row, slots: slots, layout: layout)
        } else {
            builder.append(row, layout: layout, version: row.version)
        }
    }

    /// Checks that the copies together do not take too much memory.
    ///
    /// - Throws: `.tooLarge`
    func check(limit: Int) throws(StoreError) { try builder.check(limit: limit) }

    /// Returns the copies.
    mutating func finish() -> RowBatch { builder.finish() }
}
