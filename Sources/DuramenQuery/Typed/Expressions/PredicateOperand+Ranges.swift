extension PredicateOperand {
    /// The value lies within two, both included.
    public func between(_ low: Value, _ high: Value) -> FetchPredicate {
        compared(.between, .list([low.storedValue, high.storedValue]))
    }

    /// The value lies within two that are calculated, both included.
    public func between<Low: PredicateOperand, High: PredicateOperand>(
        _ low: Low, _ high: High
    ) -> FetchPredicate where Low.Value.Family == Value.Family, High.Value.Family == Value.Family {
        compared(.between, .aggregate([low.fetchExpression, high.fetchExpression]))
    }
}

extension PredicateOperand where Value: Comparable {
    /// The value lies in the range: `BETWEEN`.
    public func isIn(_ range: ClosedRange<Value>) -> FetchPredicate {
        between(range.lowerBound, range.upperBound)
    }

    /// The value lies in the range, whose upper end is not part of it: `>=` and `<`.
    public func isIn(_ range: Range<Value>) -> FetchPredicate {
        self >= range.lowerBound && self < range.upperBound
    }

    /// The value is the lower end or greater.
    public func isIn(_ range: PartialRangeFrom<Value>) -> FetchPredicate {
        self >= range.lowerBound
    }

    /// The value is the upper end or smaller.
    public func isIn(_ range: PartialRangeThrough<Value>) -> FetchPredicate {
        self <= range.upperBound
    }

    /// The value is smaller than the upper end.
    public func isIn(_ range: PartialRangeUpTo<Value>) -> FetchPredicate {
        self < range.upperBound
    }
}
