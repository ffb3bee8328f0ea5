import DuramenModel
import DuramenStore

/// What one context tells the others after a save: rows, which are values to share.
struct SavedChanges: Sendable {
    /// A changed row, before and after.
    struct Update {
        var base: Row
        var row: Row
    }

    var inserts = RowList()
    var updates: [Update] = []
    /// Rows of deleted objects as they were.
    var deletes: [Row] = []
    var edges: [EdgeChange] = []
    /// What somebody else wrote, in another process or by other means, of whom nobody has the rows.
    var elsewhere: ChangedObjectIDs?
    /// The state that the save made; nil when that is not known.
    var generation: StoreGeneration?
}

extension SavedChanges {
    /// How many bytes the rows take, about.
    func byteCount(_ model: ManagedObjectModel) -> Int {
        func bytes(of row: Row) -> Int { row.packedByteCount(layout: model[row.entityID].layout) }
        var count = 0
        for index in inserts.indices { count += inserts.withRow(at: index, bytes) }
        for update in updates { count += bytes(of: update.base) + bytes(of: update.row) }
        for row in deletes { count += bytes(of: row) }
        for change in edges {
            let pairs = change.added.count + change.removed.count
            count += pairs * 2 * MemoryLayout<ManagedObjectID>.size
        }
        return count
    }
}
