extension PredicateOperand {
    /// Returns a predicate that is true if the left value is smaller; false for null.
    public static func < (left: Self, right: Value) -> FetchPredicate {
        left.compared(.less, right)
    }

    /// Returns a predicate that is true if the left value is smaller or equal; false for null.
    public static func <= (left: Self, right: Value) -> FetchPredicate {
        left.compared(.lessOrEqual, right)
    }

    /// Returns a predicate that is true if the left value is greater; false for null.
    public static func > (left: Self, right: Value) -> FetchPredicate {
        left.compared(.greater, right)
    }

    /// Returns a predicate that is true if the left value is greater or equal; false for null.
    public static func >= (left: Self, right: Value) -> FetchPredicate {
        left.compared(.greaterOrEqual, right)
    }

    /// Returns a predicate that is true if the left value is smaller; false for null.
    public static func < <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.less, right) }

    /// Returns a predicate that is true if the left value is smaller or equal; false for null.
    public static func <= <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.lessOrEqual, right) }

    /// Returns a predicate that is true if the left value is greater; false for null.
    public static func > <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.greater, right) }

    /// Returns a predicate that is true if the left value is greater or equal; false for null.
    public static func >= <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.greaterOrEqual, right) }

    // These repeat the operators for the type that has the members `.variable("X")` and
    // `.fetchTime`, so that they can be used on the right.

    /// Returns a predicate that is true if the left value is smaller; false for null.
    public static func < (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.less, right)
    }

    /// Returns a predicate that is true if the left value is smaller or equal; false for null.
    public static func <= (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.lessOrEqual, right)
    }

    /// Returns a predicate that is true if the left value is greater; false for null.
    public static func > (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.greater, right)
    }

    /// Returns a predicate that is true if the left value is greater or equal; false for null.
    public static func >= (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.greaterOrEqual, right)
    }
}
