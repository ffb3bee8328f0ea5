extension PredicateOperand {
    /// Both are the same value.
    public static func == (left: Self, right: Value) -> FetchPredicate {
        left.compared(.equal, right)
    }

    /// Left is another value, or null.
    public static func != (left: Self, right: Value) -> FetchPredicate {
        left.compared(.notEqual, right)
    }

    /// Both are the same value; for nil, left is null.
    @_disfavoredOverload
    public static func == (left: Self, right: Value?) -> FetchPredicate {
        left.compared(.equal, QueryExpression(right))
    }

    /// The opposite of `==`; for nil, left is not null.
    @_disfavoredOverload
    public static func != (left: Self, right: Value?) -> FetchPredicate {
        left.compared(.notEqual, QueryExpression(right))
    }

    /// Both are the same value, or both are null.
    public static func == <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.equal, right) }

    /// The values differ, or one of them is null.
    public static func != <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.notEqual, right) }

    // The same once more of the one type that `.variable("X")` and `.fetchTime` on the right are
    // members of.

    /// Both are the same value, or both are null.
    public static func == (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.equal, right)
    }

    /// The values differ, or one of them is null.
    public static func != (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.notEqual, right)
    }
}

// MARK: - Lists

extension PredicateOperand {
    /// Returns a predicate that is true if the value is in the sequence. Null is never in it.
    public func isIn(_ values: some Sequence<Value>) -> FetchPredicate {
        compared(.isIn, .list(values.map(\.storedValue)))
    }

    /// Returns a predicate that is true if the value is in the collection, which is a to-many's
    /// values or a list of expressions.
    public func isIn<Other: PredicateValue>(_ values: QueryCollection<Other>) -> FetchPredicate
    where Other.Family == Value.Family { compared(.isIn, values.fetchExpression) }
}
