/// Arithmetic with numbers. What is null makes the result null, and so does dividing by 0.
///
/// Whole numbers stay whole as long as they fit 64 bits and are doubles from there on. A whole
/// number takes the type of what it is calculated with. Doubles and decimal numbers do not mix,
/// since the result would be less exact than the decimal number: ``typed(as:)`` says that this is
/// meant.
extension PredicateOperand where Value: PredicateNumber {
    /// The sum.
    public static func + (left: Self, right: Value.Wide) -> QueryExpression<Value.Wide> {
        QueryExpression(.add, left.fetchExpression, .constant(right.storedValue))
    }

    /// The sum.
    public static func + (left: Value.Wide, right: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.add, .constant(left.storedValue), right.fetchExpression)
    }

    /// The sum.
    public static func + <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Other.Value: PredicateNumber, Other.Value.Wide == Value.Wide {
        QueryExpression(.add, left.fetchExpression, right.fetchExpression)
    }

    /// The sum.
    public static func + <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Other.Value.Wide>
    where Value: PredicateInteger, Other.Value: PredicateFraction {
        QueryExpression(.add, left.fetchExpression, right.fetchExpression)
    }

    /// The sum.
    public static func + <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Value: PredicateFraction, Other.Value: PredicateInteger {
        QueryExpression(.add, left.fetchExpression, right.fetchExpression)
    }

    /// The difference.
    public static func - (left: Self, right: Value.Wide) -> QueryExpression<Value.Wide> {
        QueryExpression(.subtract, left.fetchExpression, .constant(right.storedValue))
    }

    /// The difference.
    public static func - (left: Value.Wide, right: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.subtract, .constant(left.storedValue), right.fetchExpression)
    }

    /// The difference.
    public static func - <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Other.Value: PredicateNumber, Other.Value.Wide == Value.Wide {
        QueryExpression(.subtract, left.fetchExpression, right.fetchExpression)
    }

    /// The difference.
    public static func - <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Other.Value.Wide>
    where Value: PredicateInteger, Other.Value: PredicateFraction {
        QueryExpression(.subtract, left.fetchExpression, right.fetchExpression)
    }

    /// The difference.
    public static func - <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Value: PredicateFraction, Other.Value: PredicateInteger {
        QueryExpression(.subtract, left.fetchExpression, right.fetchExpression)
    }

    /// The product.
    public static func * (left: Self, right: Value.Wide) -> QueryExpression<Value.Wide> {
        QueryExpression(.multiply, left.fetchExpression, .constant(right.storedValue))
    }

    /// The product.
    public static func * (left: Value.Wide, right: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.multiply, .constant(left.storedValue), right.fetchExpression)
    }

    /// The product.
    public static func * <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Other.Value: PredicateNumber, Other.Value.Wide == Value.Wide {
        QueryExpression(.multiply, left.fetchExpression, right.fetchExpression)
    }

    /// The product.
    public static func * <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Other.Value.Wide>
    where Value: PredicateInteger, Other.Value: PredicateFraction {
        QueryExpression(.multiply, left.fetchExpression, right.fetchExpression)
    }

    /// The product.
    public static func * <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Value: PredicateFraction, Other.Value: PredicateInteger {
        QueryExpression(.multiply, left.fetchExpression, right.fetchExpression)
    }

    /// The quotient; of whole numbers a whole one, towards zero. Null for a divisor of 0.
    public static func / (left: Self, right: Value.Wide) -> QueryExpression<Value.Wide> {
        QueryExpression(.divide, left.fetchExpression, .constant(right.storedValue))
    }

    /// The quotient; of whole numbers a whole one, towards zero. Null for a divisor of 0.
    public static func / (left: Value.Wide, right: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.divide, .constant(left.storedValue), right.fetchExpression)
    }

    /// The quotient; of whole numbers a whole one, towards zero. Null for a divisor of 0.
    public static func / <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Other.Value: PredicateNumber, Other.Value.Wide == Value.Wide {
        QueryExpression(.divide, left.fetchExpression, right.fetchExpression)
    }

    /// The quotient; of whole numbers a whole one, towards zero. Null for a divisor of 0.
    public static func / <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Other.Value.Wide>
    where Value: PredicateInteger, Other.Value: PredicateFraction {
        QueryExpression(.divide, left.fetchExpression, right.fetchExpression)
    }

    /// The quotient; of whole numbers a whole one, towards zero. Null for a divisor of 0.
    public static func / <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Value: PredicateFraction, Other.Value: PredicateInteger {
        QueryExpression(.divide, left.fetchExpression, right.fetchExpression)
    }

    /// The remainder of `/`; null for a divisor of 0.
    public static func % (left: Self, right: Value.Wide) -> QueryExpression<Value.Wide> {
        QueryExpression(.modulus, left.fetchExpression, .constant(right.storedValue))
    }

    /// The remainder of `/`; null for a divisor of 0.
    public static func % (left: Value.Wide, right: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.modulus, .constant(left.storedValue), right.fetchExpression)
    }

    /// The remainder of `/`; null for a divisor of 0.
    public static func % <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Other.Value: PredicateNumber, Other.Value.Wide == Value.Wide {
        QueryExpression(.modulus, left.fetchExpression, right.fetchExpression)
    }

    /// The remainder of `/`; null for a divisor of 0.
    public static func % <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Other.Value.Wide>
    where Value: PredicateInteger, Other.Value: PredicateFraction {
        QueryExpression(.modulus, left.fetchExpression, right.fetchExpression)
    }

    /// The remainder of `/`; null for a divisor of 0.
    public static func % <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Value.Wide>
    where Value: PredicateFraction, Other.Value: PredicateInteger {
        QueryExpression(.modulus, left.fetchExpression, right.fetchExpression)
    }

    /// The number with the other sign.
    public static prefix func - (operand: Self) -> QueryExpression<Value.Wide> {
        QueryExpression(.negate, operand.fetchExpression)
    }
}
