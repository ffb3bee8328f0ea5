import DuramenModel
import DuramenStore

/// The changes of a save, which a context passes to the others: immutable rows, safe to share.
struct SavedChanges: Sendable {
    /// A changed row, before and after.
    struct Update {
        var base: Row
        var row: Row
    }

    var inserts = RowList()
    var updates: [Update] = []
    /// The last rows of deleted objects.
    var deletes: [Row] = []
    var edges: [EdgeChange] = []
    /// Changes of other processes or writers, of which only the IDs are known.
    var elsewhere: ChangedObjectIDs?
    /// The state that the save created; nil if it is not known.
    var generation: StoreGeneration?
}

extension SavedChanges {
    /// The approximate number of bytes of the rows.
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
