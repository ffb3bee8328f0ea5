package import DuramenModel

extension BoundSort {
    /// Compares what the order compares of one row with a row of another order that was bound from the same
    /// descriptors: negative when the first comes first, 0 when only their IDs can tell.
    package func order<Source: EvaluationSource>(
        _ keys: BoundSortKeys, _ row: Row, by other: BoundSort, in source: Source
    ) throws(Source.Failure) -> Int {
        for place in other.keys.indices {
            let key = other.keys[place]
            var end: Row? = row
            // Where a path leads does not depend on the ID that it begins with.
            if !key.steps.isEmpty { end = try Evaluator(source).walk(key.steps, row, keys.id)?.0 }
            let order = key.order(keys.ends[place], end)
            if order != 0 { return key.isAscending ? order : -order }
        }
        return 0
    }
}
