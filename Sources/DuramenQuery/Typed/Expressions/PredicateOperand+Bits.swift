/// Operators for the bits of integers.
extension PredicateOperand where Value: PredicateInteger {
    /// Returns the bitwise AND of the two values.
    public static func & (left: Self, right: Int) -> QueryExpression<Int> {
        QueryExpression(.bitwiseAnd, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the bitwise AND of the two values.
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

    /// Returns the bitwise XOR of the two values.
    public static func ^ (left: Self, right: Int) -> QueryExpression<Int> {
        QueryExpression(.bitwiseXor, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the bitwise XOR of the two values.
    public static func ^ <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Int> where Other.Value: PredicateInteger {
        QueryExpression(.bitwiseXor, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the bits shifted to the left.
    public static func << (left: Self, right: Int) -> QueryExpression<Int> {
        QueryExpression(.leftShift, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the bits shifted to the left.
    public static func << <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Int> where Other.Value: PredicateInteger {
        QueryExpression(.leftShift, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the bits shifted to the right; the sign is kept.
    public static func >> (left: Self, right: Int) -> QueryExpression<Int> {
        QueryExpression(.rightShift, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the bits shifted to the right; the sign is kept.
    public static func >> <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Int> where Other.Value: PredicateInteger {
        QueryExpression(.rightShift, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the inverted bits.
    public static prefix func ~ (operand: Self) -> QueryExpression<Int> {
        QueryExpression(.onesComplement, operand.fetchExpression)
    }
}
