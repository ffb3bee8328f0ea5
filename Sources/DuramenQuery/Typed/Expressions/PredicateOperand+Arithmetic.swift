/// Arithmetic with numbers. The result is null if an operand is null, and for a divisor of 0.
///
/// Integers stay integers while they fit 64 bits, and become doubles beyond. An integer with a
/// double or a decimal number gets the other operand's type. Doubles and decimal numbers do not
/// mix, since the result would be less exact than the decimal number. Use ``typed(as:)`` to mix
/// them.
extension PredicateOperand where Value: PredicateNumber {
    /// Returns the sum of two numbers.
    public static func + (left: Self, right: Value.Wide) -> QueryExpression<Value.Wide> {
        QueryExpression(.add, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the sum of two numbers.
    public static func + (left: Value.Wide, right: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.add, .constant(left.storedValue), right.fetchExpression)
    }

    /// Returns the sum of two numbers.
    public static func + <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Other.Value: PredicateNumber, Other.Value.Wide == Value.Wide {
        QueryExpression(.add, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the sum of two numbers.
    public static func + <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Other.Value.Wide>
    where Value: PredicateInteger, Other.Value: PredicateFraction {
        QueryExpression(.add, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the sum of two numbers.
    public static func + <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Value: PredicateFraction, Other.Value: PredicateInteger {
        QueryExpression(.add, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the difference of two numbers.
    public static func - (left: Self, right: Value.Wide) -> QueryExpression<Value.Wide> {
        QueryExpression(.subtract, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the difference of two numbers.
    public static func - (left: Value.Wide, right: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.subtract, .constant(left.storedValue), right.fetchExpression)
    }

    /// Returns the difference of two numbers.
    public static func - <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Other.Value: PredicateNumber, Other.Value.Wide == Value.Wide {
        QueryExpression(.subtract, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the difference of two numbers.
    public static func - <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Other.Value.Wide>
    where Value: PredicateInteger, Other.Value: PredicateFraction {
        QueryExpression(.subtract, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the difference of two numbers.
    public static func - <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Value: PredicateFraction, Other.Value: PredicateInteger {
        QueryExpression(.subtract, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the product of two numbers.
    public static func * (left: Self, right: Value.Wide) -> QueryExpression<Value.Wide> {
        QueryExpression(.multiply, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the product of two numbers.
    public static func * (left: Value.Wide, right: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.multiply, .constant(left.storedValue), right.fetchExpression)
    }

    /// Returns the product of two numbers.
    public static func * <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Other.Value: PredicateNumber, Other.Value.Wide == Value.Wide {
        QueryExpression(.multiply, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the product of two numbers.
    public static func * <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Other.Value.Wide>
    where Value: PredicateInteger, Other.Value: PredicateFraction {
        QueryExpression(.multiply, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the product of two numbers.
    public static func * <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Value: PredicateFraction, Other.Value: PredicateInteger {
        QueryExpression(.multiply, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the quotient, truncated towards zero for integers; null for a divisor of 0.
    public static func / (left: Self, right: Value.Wide) -> QueryExpression<Value.Wide> {
        QueryExpression(.divide, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the quotient, truncated towards zero for integers; null for a divisor of 0.
    public static func / (left: Value.Wide, right: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.divide, .constant(left.storedValue), right.fetchExpression)
    }

    /// Returns the quotient, truncated towards zero for integers; null for a divisor of 0.
    public static func / <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Other.Value: PredicateNumber, Other.Value.Wide == Value.Wide {
        QueryExpression(.divide, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the quotient, truncated towards zero for integers; null for a divisor of 0.
    public static func / <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Other.Value.Wide>
    where Value: PredicateInteger, Other.Value: PredicateFraction {
        QueryExpression(.divide, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the quotient, truncated towards zero for integers; null for a divisor of 0.
    public static func / <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Value: PredicateFraction, Other.Value: PredicateInteger {
        QueryExpression(.divide, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the remainder of the division; null for a divisor of 0.
    public static func % (left: Self, right: Value.Wide) -> QueryExpression<Value.Wide> {
        QueryExpression(.modulus, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the remainder of the division; null for a divisor of 0.
    public static func % (left: Value.Wide, right: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.modulus, .constant(left.storedValue), right.fetchExpression)
    }

    /// Returns the remainder of the division; null for a divisor of 0.
    public static func % <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Other.Value: PredicateNumber, Other.Value.Wide == Value.Wide {
        QueryExpression(.modulus, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the remainder of the division; null for a divisor of 0.
    public static func % <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Other.Value.Wide>
    where Value: PredicateInteger, Other.Value: PredicateFraction {
        QueryExpression(.modulus, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the remainder of the division; null for a divisor of 0.
    public static func % <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Value: PredicateFraction, Other.Value: PredicateInteger {
        QueryExpression(.modulus, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the negated number.
    public static prefix func - (operand: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.negate, operand.fetchExpression)
    }
}
