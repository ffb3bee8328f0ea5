public import DuramenModel

/// A position in an ordered result: an object's sort keys and its ID. The next page starts after
/// it.
///
/// Unlike an offset, a position stays valid when objects before it are inserted or deleted. A store
/// with an index for the order finds it directly. You can encode it, for example to send it to a
/// client that fetches the next page with it.
public struct FetchPosition: Sendable, Hashable, Codable {
    /// The values of the sort keys, by sort descriptor; null if a path has a null. There are no
    /// values for `SELF` and later descriptors, since the ID determines the order.
    public var values: [StoredValue]
    /// The object's ID, which orders objects with equal keys.
    public var objectID: ManagedObjectID

    /// Creates a position.
    public init(values: [StoredValue], objectID: ManagedObjectID) {
        self.values = values
        self.objectID = objectID
    }

    /// Returns the condition that an object comes after the position in an order. It is exact: null
    /// is the smallest value, and text is compared as the descriptors specify. Objects with equal
    /// keys are ordered by ID, ascending unless a descriptor sorts by `SELF` in descending order.
    ///
    /// - Parameter order: The sort descriptors.
    /// - Returns: Nil if the number of values differs from the number of sort descriptors before
    ///   `SELF`.
    public func predicate(after order: [FetchSortDescriptor]) -> FetchPredicate? {
        let keys = order.beforeSelf
        guard keys.count == values.count else { return nil }
        var condition = FetchPredicate.comparison(
            PredicateComparison(
                .selfObject, order.descendsByID ? .less : .greater, .constant(.objectID(objectID))))
        for (descriptor, value) in zip(keys, values).reversed() {
            condition = descriptor.condition(after: value, ties: condition)
        }
        return condition
    }
}

extension FetchSortDescriptor {
    /// Returns the condition that an object's key comes after a value, or is equal and satisfies
    /// another condition.
    fileprivate func condition(after value: StoredValue, ties: FetchPredicate) -> FetchPredicate {
        let hasNone = compared(.equal, .null)
        switch (isAscending, value.isNull) {
        case (true, true): return .or([compared(.notEqual, .null), ties])
        // The bound is a separate condition, so that stores can use an index for it.
        case (true, false):
            return .and([
                compared(.greaterOrEqual, value), .or([compared(.greater, value), ties]),
            ])
        case (false, true): return .and([hasNone, ties])
        case (false, false):
            return .or([compared(.less, value), hasNone, .and([compared(.equal, value), ties])])
        }
    }

    private func compared(
        _ relation: PredicateComparison.Operator, _ value: StoredValue
    ) -> FetchPredicate {
        .comparison(
            PredicateComparison(
                expression, relation, .constant(value),
                options: value.isNull ? [] : comparison.options))
    }
}

extension BoundSort {
    /// Returns the values of a row's sort keys; nil if a path has a to-one.
    package func ownValues(of row: Row) -> [StoredValue]? {
        guard isDirect else { return nil }
        return keys.map { row.value($0.slot, $0.kind) }
    }

    /// Returns the values of a row's sort keys; null if a path has a null.
    package func values<Source: EvaluationSource>(
        of item: Item, in source: Source
    ) throws(Source.Failure) -> [StoredValue] {
        let evaluator = Evaluator(source)
        var values: [StoredValue] = []
        for key in keys {
            if let counted = key.counted {
                let count = try evaluator.count(counted, behind: key.steps, item.row, item.id)
                values.append(.integer(Int64(count)))
                continue
            }
            let end = try evaluator.walk(key.steps, item.row, item.id)?.0
            values.append(end?.value(key.slot, key.kind) ?? .null)
        }
        return values
    }
}
