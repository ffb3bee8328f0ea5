package import DuramenModel

extension BoundSort {
    /// Returns the order of a row's sort keys and a row of another order with equal descriptors. It
    /// is negative if the first comes first, and 0 if only their IDs differ.
    package func order<Source: EvaluationSource>(
        _ keys: BoundSortKeys, _ row: Row, by other: BoundSort, in source: Source
    ) throws(Source.Failure) -> Int {
        // Apart from the rest, for which the runtime looks up the evaluator's type at each call.
        if other.isDirect { return other.order(keys.row, row) }
        return try order(keys, row, over: other.keys, in: source)
    }

    /// Returns the order of two rows by attributes of their own; 0 if only their IDs differ.
    func order(_ a: borrowing Row, _ b: borrowing Row) -> Int {
        for place in keys.indices {
            let end = keys[place].end
            let order = end.order(a, b)
            if order != 0 { return end.isAscending ? order : -order }
        }
        return 0
    }

    @inline(never)
    private func order<Source: EvaluationSource>(
        _ keys: BoundSortKeys, _ row: Row, over others: [BoundSortKey], in source: Source
    ) throws(Source.Failure) -> Int {
        let evaluator = Evaluator(source)
        for (place, other) in others.enumerated() {
            let order: Int
            if let counted = other.counted {
                let id = row.objectID(in: source.model, store: source.store)
                order =
                    keys.counts[place]
                    - (try evaluator.count(counted, behind: other.steps, row, id))
            } else {
                // The destination of a path over to-ones does not depend on the ID at its start.
                let end = try evaluator.walk(other.steps, row, keys.id)?.0
                order = other.end.order(keys.ends[place], end)
            }
            if order != 0 { return other.isAscending ? order : -order }
        }
        return 0
    }
}
