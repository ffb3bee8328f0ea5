import DuramenModel

/// A range of values. A bound that is nil is open.
struct ConvertedRange {
    var lower: FetchExpression?
    var upper: FetchExpression?
    var includesUpper: Bool

    /// Returns a condition that a value lies in the range.
    func contains(_ value: FetchExpression) -> FetchPredicate {
        if let lower, let upper, includesUpper {
            return compare(value, .between, .list(of: [lower, upper]))
        }
        var parts: [FetchPredicate] = []
        if let lower { parts.append(compare(value, .greaterOrEqual, lower)) }
        if let upper { parts.append(compare(value, includesUpper ? .lessOrEqual : .less, upper)) }
        return .all(parts)
    }

    private func compare(
        _ value: FetchExpression, _ relation: PredicateComparison.Operator, _ other: FetchExpression
    ) -> FetchPredicate {
        .comparison(PredicateComparison(value, relation, other))
    }
}

/// A range of the standard library.
protocol CapturedRange {
    /// Both bounds, and whether the range includes the upper bound.
    var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { get }
}

extension Range: CapturedRange {
    var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, upperBound, false) }
}

extension ClosedRange: CapturedRange {
    var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, upperBound, true) }
}

extension PartialRangeFrom: CapturedRange {
    var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, nil, false) }
}

extension PartialRangeThrough: CapturedRange {
    var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { (nil, upperBound, true) }
}

extension PartialRangeUpTo: CapturedRange {
    var ends: (lower: Any?, upper: Any?, includesUpper: Bool) { (nil, upperBound, false) }
}
