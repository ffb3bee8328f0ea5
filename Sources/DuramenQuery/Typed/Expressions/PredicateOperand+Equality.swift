extension PredicateOperand {
    /// Returns a predicate that is true if both values are equal.
    public static func == (left: Self, right: Value) -> FetchPredicate {
        left.compared(.equal, right)
    }

    /// Returns a predicate that is true if the left value differs from the right, or is null.
    public static func != (left: Self, right: Value) -> FetchPredicate {
        left.compared(.notEqual, right)
    }

    /// Returns a predicate that is true if both values are equal; for nil, if the left value is
    /// null.
    @_disfavoredOverload
    public static func == (left: Self, right: Value?) -> FetchPredicate {
        left.compared(.equal, QueryExpression(right))
    }

    /// Returns the opposite of `==`; for nil, a predicate that is true if the left value is not
    /// null.
    @_disfavoredOverload
    public static func != (left: Self, right: Value?) -> FetchPredicate {
        left.compared(.notEqual, QueryExpression(right))
    }

    /// Returns a predicate that is true if both values are equal, or both are null.
    public static func == <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.equal, right) }

    /// Returns a predicate that is true if the values differ, or only one of them is null.
    public static func != <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.notEqual, right) }

    // These repeat the operators for the type that has the members `.variable("X")` and
    // `.fetchTime`, so that they can be used on the right.

    /// Returns a predicate that is true if both values are equal, or both are null.
    public static func == (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.equal, right)
    }

    /// Returns a predicate that is true if the values differ, or only one of them is null.
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
