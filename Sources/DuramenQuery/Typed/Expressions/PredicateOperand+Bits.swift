/// The bits of whole numbers.
extension PredicateOperand where Value: PredicateInteger {
    /// The bits that both have.
    public static func & (left: Self, right: Int) -> QueryExpression<Int> {
        QueryExpression(.bitwiseAnd, left.fetchExpression, .constant(right.storedValue))
    }

    /// The bits that both have.
    public static func & <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Int> where Other.Value: PredicateInteger {
        QueryExpression(.bitwiseAnd, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the bitwise OR of the two values.
    public static func | (left: Self, right: Int) -> QueryExpression<Int> {
        QueryExpression(.bitwiseOr, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the bitwise OR of the two values.
    public static func | <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Int> where Other.Value: PredicateInteger {
        QueryExpression(.bitwiseOr, left.fetchExpression, right.fetchExpression)
    }

    /// The bits that only one of them has.
    public static func ^ (left: Self, right: Int) -> QueryExpression<Int> {
        QueryExpression(.bitwiseXor, left.fetchExpression, .constant(right.storedValue))
    }

    /// The bits that only one of them has.
    public static func ^ <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Int> where Other.Value: PredicateInteger {
        QueryExpression(.bitwiseXor, left.fetchExpression, right.fetchExpression)
    }

    /// The bits moved to the left.
    public static func << (left: Self, right: Int) -> QueryExpression<Int> {
        QueryExpression(.leftShift, left.fetchExpression, .constant(right.storedValue))
    }

    /// The bits moved to the left.
    public static func << <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Int> where Other.Value: PredicateInteger {
        QueryExpression(.leftShift, left.fetchExpression, right.fetchExpression)
    }

    /// The bits moved to the right; the sign stays.
    public static func >> (left: Self, right: Int) -> QueryExpression<Int> {
        QueryExpression(.rightShift, left.fetchExpression, .constant(right.storedValue))
    }

    /// The bits moved to the right; the sign stays.
    public static func >> <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Int> where Other.Value: PredicateInteger {
        QueryExpression(.rightShift, left.fetchExpression, right.fetchExpression)
    }

    /// The other bits.
    public static prefix func ~ (operand: Self) -> QueryExpression<Int> {
        QueryExpression(.onesComplement, operand.fetchExpression)
    }
}
