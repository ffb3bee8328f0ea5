import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenStore

/// Rejects values that are too long for the engine, which would bind null instead.
struct ValueSizes {
    let plans: [WritePlan]
    let largeValues: LargeValues?
    let connection: Connection

    /// - Throws: `.tooLarge`
    /// - Complexity: O(*n*) for *n* rows; values are checked only in memory blocks large enough for
    ///   such a value.
    func check(_ changes: ChangeSet) throws(StoreError) {
        let limit = Int(sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, -1))
        for index in changes.inserts.indices
        where changes.inserts.withRow(at: index, { $0.storage.byteCount > limit }) {
            try check(changes.inserts[index], limit)
        }
        for update in changes.updates where update.row.storage.byteCount > limit {
            try check(update.row, limit)
        }
    }

    private func check(_ row: Row, _ limit: Int) throws(StoreError) {
        for step in plans[row.entityID.index].steps where step.kind.isTail {
            let slot = Int(step.slot)
            let count = row.isNull(slot) ? 0 : row.withBytes(slot) { $0.count }
            if count <= limit || largeValues?.hasFile(row, slot) == true { continue }
            throw connection.error(SQLITE_TOOBIG, "save to")
        }
    }
}
