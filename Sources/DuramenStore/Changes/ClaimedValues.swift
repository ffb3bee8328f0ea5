import DuramenModel

/// Finds the first row of a change set that claims given values of a uniqueness constraint.
struct ClaimedValues {
    let constraint: UniquenessConstraint
    /// The index of the last row by the hash of its values.
    private var last: [Int: Int32]
    /// By row, the previous row with an equal hash; -1 for none.
    private var previous: [Int32] = []
    private var rows: [Row] = []

    /// - Parameters:
    ///   - constraint: The constraint.
    ///   - capacity: About how many rows there will be at most.
    init(_ constraint: UniquenessConstraint, capacity: Int) {
        self.constraint = constraint
        last = Dictionary(minimumCapacity: capacity)
    }

    /// Claims the values of a row, none of which is null.
    ///
    /// - Returns: The row that claimed equal values before; nil when this row is the first.
    mutating func claim(_ row: Row, _ layout: RowLayout) -> Row? {
        let hash = hash(of: row, layout)
        let known = last[hash]
        var index = known ?? -1
        while index >= 0 {
            let other = rows[Int(index)]
            let isSame = constraint.slots.allSatisfy {
                row.hasSameValue($0, layout.kinds[$0], as: other)
            }
            if isSame { return other }
            index = previous[Int(index)]
        }
        previous.append(known ?? -1)
        last[hash] = Int32(truncatingIfNeeded: rows.count)
        rows.append(row)
        return nil
    }

    private func hash(of row: Row, _ layout: RowLayout) -> Int {
        var hasher = Hasher()
        for slot in constraint.slots {
            if layout.kinds[slot].isTail {
                hasher.combine(bytes: row.unsafeBytes(slot))
            } else {
                hasher.combine(row.integer(slot))
            }
        }
        return hasher.finalize()
    }
}
