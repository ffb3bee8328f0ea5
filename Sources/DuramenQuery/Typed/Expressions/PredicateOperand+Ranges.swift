extension PredicateOperand {
    /// Returns a predicate that is true if the value lies between two values, both included.
    public func between(_ low: Value, _ high: Value) -> FetchPredicate {
        compared(.between, .list([low.storedValue, high.storedValue]))
    }

    /// Returns a predicate that is true if the value lies between two expressions, both included.
    public func between<Low: PredicateOperand, High: PredicateOperand>(
        _ low: Low, _ high: High
    ) -> FetchPredicate where Low.Value.Family == Value.Family, High.Value.Family == Value.Family {
        compared(.between, .aggregate([low.fetchExpression, high.fetchExpression]))
    }
}

extension PredicateOperand where Value: Comparable {
    /// Returns a predicate that is true if the value lies in the range: `BETWEEN`.
    public func isIn(_ range: ClosedRange<Value>) -> FetchPredicate {
        between(range.lowerBound, range.upperBound)
    }

    /// Returns a predicate that is true if the value lies in the range, without its upper bound:
    /// `>=` and `<`.
    public func isIn(_ range: Range<Value>) -> FetchPredicate {
        self >= range.lowerBound && self < range.upperBound
    }

    /// Returns a predicate that is true if the value is the lower bound or greater.
    public func isIn(_ range: PartialRangeFrom<Value>) -> FetchPredicate {
        self >= range.lowerBound
    }

    /// Returns a predicate that is true if the value is the upper bound or smaller.
    public func isIn(_ range: PartialRangeThrough<Value>) -> FetchPredicate {
        self <= range.upperBound
    }

    /// Returns a predicate that is true if the value is smaller than the upper bound.
    public func isIn(_ range: PartialRangeUpTo<Value>) -> FetchPredicate {
        self < range.upperBound
    }
}
