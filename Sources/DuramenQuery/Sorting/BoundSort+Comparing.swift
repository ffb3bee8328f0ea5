import DuramenModel

extension BoundSort {
    /// Compares what the order compares of one row with a row of another order that was bound from the same
    /// descriptors: negative when the first comes first, 0 when only their IDs can tell.
    package func order<Source: EvaluationSource>(
        _ keys: BoundSortKeys, _ item: Item, by other: BoundSort, in source: Source
    ) throws(Source.Failure) -> Int {
        let evaluator = Evaluator(source)
        for (place, key) in other.keys.enumerated() {
            let end =
                key.steps.isEmpty
                ? item.row : try evaluator.walk(key.steps, item.row, item.id)?.0
            let order = key.order(keys.ends[place], end)
            if order != 0 { return key.isAscending ? order : -order }
        }
        return 0
    }
}
