public import DuramenModel

/// A position in an ordered result: an object's sort keys and its ID. The next page starts after
/// it.
///
/// Unlike an offset it stays where it is when objects before it come and go, and a store that has
/// an index for the order goes right there. It can be encoded, to be handed to somebody who asks
/// for the next page with it.
public struct FetchPosition: Sendable, Hashable, Codable {
    /// The values of the sort keys, by sort descriptor; null for what cannot be reached. None for
    /// `SELF` and what comes behind it: the ID says that.
    public var values: [StoredValue]
    /// The object, which orders what the keys leave equal.
    public var objectID: ManagedObjectID

    /// Describes a place.
    public init(values: [StoredValue], objectID: ManagedObjectID) {
        self.values = values
        self.objectID = objectID
    }

    /// The condition on objects to come after the place in an order. It is exact: null is the
    /// smallest value, text compares as the descriptors say, and objects with equal keys are
    /// ordered by ID, ascending unless a descriptor asks for `SELF` in descending order.
    ///
    /// - Returns: Nil when there are more or fewer values than sort descriptors before `SELF`.
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
    /// The condition on objects whose key comes after a value, or is equal and fulfils another one.
    fileprivate func condition(after value: StoredValue, ties: FetchPredicate) -> FetchPredicate {
        let hasNone = compared(.equal, .null)
        switch (isAscending, value.isNull) {
        case (true, true): return .or([compared(.notEqual, .null), ties])
        // The bound stands alone, so that stores can enter an index there.
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
    /// The values of the sort keys of a row; nil when a key leads over a to-one.
    package func ownValues(of row: Row) -> [StoredValue]? {
        guard isDirect else { return nil }
        return keys.map { row.value($0.slot, $0.kind) }
    }

    /// The values of the sort keys of a row; null for what cannot be reached.
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
