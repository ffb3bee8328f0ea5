package import DuramenModel

/// The sort keys of one row, loaded from the row's own source.
///
/// Rows of different sources, such as two stores, have no common source to be sorted in. Their keys
/// can be compared all the same when both orders were bound from the same descriptors.
public struct BoundSortKeys: Sendable {
    /// The row itself, in which key paths of one step end.
    let row: Row
    /// By sort key, the row that its key path ends in; nil behind a null or a missing object. Empty
    /// when all end in the row itself.
    let ends: [Row?]
    /// By sort key, the number of objects where it counts some; empty when none does.
    let counts: [Int]
    package let id: ManagedObjectID
}

extension BoundSort {
    /// Finds what the order compares of a row. Each key path is followed once.
    public func keys<Source: EvaluationSource>(
        of item: Item, in source: Source
    ) throws(Source.Failure) -> BoundSortKeys {
        var ends: [Row?] = []
        var counts: [Int] = []
        if !isDirect {
            let evaluator = Evaluator(source)
            for key in keys { ends.append(try evaluator.walk(key.steps, item.row, item.id)?.0) }
            if countsObjects {
                for key in keys {
                    guard let counted = key.counted else {
                        counts.append(0)
                        continue
                    }
                    counts.append(
                        try evaluator.count(counted, behind: key.steps, item.row, item.id))
                }
            }
        }
        return BoundSortKeys(row: item.row, ends: ends, counts: counts, id: item.id)
    }

    /// Whether a row comes before another one, by the order that ``sort(_:in:)`` makes.
    ///
    /// Both must come from orders that were bound from the same descriptors, to entities with the
    /// same attributes.
    public func precedes(_ a: BoundSortKeys, _ b: BoundSortKeys) -> Bool {
        for place in keys.indices {
            let end = keys[place].end
            let order: Int
            if isDirect {
                order = end.order(a.row, b.row)
            } else if keys[place].counted != nil {
                order = a.counts[place] - b.counts[place]
            } else {
                order = end.order(a.ends[place], b.ends[place])
            }
            if order != 0 { return (order < 0) == end.isAscending }
        }
        return precedes(a.id, b.id)
    }
}
