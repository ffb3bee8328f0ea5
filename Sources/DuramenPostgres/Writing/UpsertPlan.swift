import DuramenModel
import DuramenStore

/// Decides which rows of a part are inserted, and which update a row with the same unique values.
struct UpsertPlan {
    /// New values of a stored row.
    struct Update {
        /// A row with the values, which has a key of its own.
        var values: Row
        var slots: SlotSet
    }

    private(set) var inserts: [Row] = []
    /// The updates of stored rows, by their keys.
    private(set) var updates: [Int64: Update] = [:]
    /// The keys of the rows that are written, in the order of their values.
    private(set) var keys: [Int64] = []

    /// - Parameters:
    ///   - rows: The rows, of one entity.
    ///   - slots: For each row, the slots that it updates; nil if rows with known values are
    ///     skipped.
    ///   - digests: For each row, the digest of its unique values; nil where one of them is null.
    ///   - stored: The keys of stored rows, by the digests of their unique values.
    ///   - layout: The layout of the entity.
    init(
        _ rows: RowList, taking slots: [SlotSet]?, digests: [[UInt8]?], stored: [[UInt8]: Int64],
        layout: RowLayout
    ) {
        var insertPlaces: [[UInt8]: Int] = [:]
        for (place, row) in rows.enumerated() {
            if let digest = digests[place], let key = stored[digest] {
                guard let slots else { continue }
                keys.append(key)
                update(key, slots[place], from: row, layout)
            } else if let digest = digests[place], let earlier = insertPlaces[digest] {
                guard let slots else { continue }
                keys.append(inserts[earlier].key)
                inserts[earlier] = inserts[earlier].replacing(
                    slots[place], with: row, layout: layout)
            } else {
                if let digest = digests[place] { insertPlaces[digest] = inserts.count }
                keys.append(row.key)
                inserts.append(row)
            }
        }
    }

    private mutating func update(
        _ key: Int64, _ slots: SlotSet, from row: Row, _ layout: RowLayout
    ) {
        guard let earlier = updates[key] else {
            updates[key] = Update(values: row, slots: slots)
            return
        }
        updates[key] = Update(
            values: earlier.values.replacing(slots, with: row, layout: layout),
            slots: earlier.slots.union(slots))
    }
}
