extension PredicateOperand {
    /// Left is smaller. False for null, as all comparisons of order are.
    public static func < (left: Self, right: Value) -> FetchPredicate {
        left.compared(.less, right)
    }

    /// Left is smaller or the same.
    public static func <= (left: Self, right: Value) -> FetchPredicate {
        left.compared(.lessOrEqual, right)
    }

    /// Left is greater.
    public static func > (left: Self, right: Value) -> FetchPredicate {
        left.compared(.greater, right)
    }

    /// Left is greater or the same.
    public static func >= (left: Self, right: Value) -> FetchPredicate {
        left.compared(.greaterOrEqual, right)
    }

    /// Left is smaller.
    public static func < <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.less, right) }

    /// Left is smaller or the same.
    public static func <= <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.lessOrEqual, right) }

    /// Left is greater.
    public static func > <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.greater, right) }

    /// Left is greater or the same.
    public static func >= <Other: PredicateOperand>(left: Self, right: Other) -> FetchPredicate
    where Other.Value.Family == Value.Family { left.compared(.greaterOrEqual, right) }

    // The same once more of the one type that `.variable("X")` and `.fetchTime` on the right are
    // members of.

    /// Left is smaller.
    public static func < (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.less, right)
    }

    /// Left is smaller or the same.
    public static func <= (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.lessOrEqual, right)
    }

    /// Left is greater.
    public static func > (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.greater, right)
    }

    /// Left is greater or the same.
    public static func >= (left: Self, right: QueryExpression<Value>) -> FetchPredicate {
        left.compared(.greaterOrEqual, right)
    }
}
