package import DuramenModel

extension BoundSort {
    /// Returns the order of a row's sort keys and a row of another order with equal descriptors. It
    /// is negative if the first comes first, and 0 if only their IDs differ.
    package func order<Source: EvaluationSource>(
        _ keys: BoundSortKeys, _ row: Row, by other: BoundSort, in source: Source
    ) throws(Source.Failure) -> Int {
        for place in other.keys.indices {
            let end = other.keys[place].end
            let order: Int
            if other.isDirect {
                order = end.order(keys.row, row)
            } else if let counted = other.keys[place].counted {
                let steps = other.keys[place].steps
                let id = row.objectID(in: source.model, store: source.store)
                let count = try Evaluator(source).count(counted, behind: steps, row, id)
                order = keys.counts[place] - count
            } else {
                // The destination of a path over to-ones does not depend on the ID at its start.
                let other = try Evaluator(source).walk(other.keys[place].steps, row, keys.id)?.0
                order = end.order(keys.ends[place], other)
            }
            if order != 0 { return end.isAscending ? order : -order }
        }
        return 0
    }
}
