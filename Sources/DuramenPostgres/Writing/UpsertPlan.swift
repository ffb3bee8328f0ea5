import DuramenModel

/// What becomes of rows of one entity whose unique values may be stored already, or come again
/// among them.
struct UpsertPlan {
    /// New values of rows.
    struct Overwriting {
        let slots: SlotSet
        /// The places of the rows with the values, by the keys of the rows to set.
        var places: [Int64: Int] = [:]
    }

    /// The places of the rows to insert.
    private(set) var inserted: [Int] = []
    /// What to set after that, one after the other.
    private(set) var overwritings: [Overwriting] = []
    /// The slots that are set in rows other than the inserted ones.
    private(set) var changed: [Int64: SlotSet] = [:]
    /// Whether values of inserted rows are set again.
    private(set) var overwritesInserted = false
    /// The keys of the rows that are written, in the order of their values.
    private(set) var keys: [Int64] = []

    /// The keys of the rows to insert, by the digests of their unique values.
    private var insertedKeys: [[UInt8]: Int64] = [:]
    /// The last overwriting of each row, and of each set of slots, of those that can have more rows.
    private var lastOfKey: [Int64: Int] = [:]
    private var lastOfSlots: [SlotSet: Int] = [:]

    /// - Parameters:
    ///   - rows: The rows.
    ///   - slots: The slots of each row that are set in a stored row; nil leaves stored rows
    ///     unchanged.
    ///   - digests: The digests of the rows' unique values; nil where one of them is null.
    ///   - stored: The keys of stored rows, by the digests of their unique values.
    init(
        _ rows: RowList, taking slots: [SlotSet]?, digests: [[UInt8]?], stored: [[UInt8]: Int64]
    ) {
        for place in rows.indices {
            let digest = digests[place]
            let known = digest.flatMap { insertedKeys[$0] ?? stored[$0] }
            guard let key = known else {
                inserted.append(place)
                keys.append(rows.key(at: place))
                if let digest { insertedKeys[digest] = rows.key(at: place) }
                continue
            }
            guard let slots else { continue }
            keys.append(key)
            if let digest, insertedKeys[digest] != nil {
                overwritesInserted = true
            } else {
                changed[key] = (changed[key] ?? SlotSet()).union(slots[place])
            }
            overwrite(key, from: place, slots[place])
        }
    }

    private mutating func overwrite(_ key: Int64, from place: Int, _ slots: SlotSet) {
        if let last = lastOfKey[key], overwritings[last].slots != slots {
            // Values that came before must not be written after these.
            lastOfKey = [:]
            lastOfSlots = [:]
        }
        let index = lastOfSlots[slots] ?? overwritings.count
        if index == overwritings.count { overwritings.append(Overwriting(slots: slots)) }
        lastOfSlots[slots] = index
        lastOfKey[key] = index
        overwritings[index].places[key] = place
    }
}
