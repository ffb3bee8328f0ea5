public import Foundation

/// Arithmetic with dates, in seconds.
extension PredicateOperand where Value == Date {
    /// Returns the date that is a number of seconds later.
    public static func + (left: Self, seconds: Double) -> QueryExpression<Date> {
        QueryExpression(.add, left.fetchExpression, .constant(seconds.storedValue))
    }

    /// Returns the date that is a number of seconds later.
    public static func + <Seconds: PredicateOperand>(
        left: Self, seconds: Seconds
    ) -> QueryExpression<Date> where Seconds.Value: PredicateNumber {
        QueryExpression(.add, left.fetchExpression, seconds.fetchExpression)
    }

    /// Returns the date that is a number of seconds earlier.
    public static func - (left: Self, seconds: Double) -> QueryExpression<Date> {
        QueryExpression(.subtract, left.fetchExpression, .constant(seconds.storedValue))
    }

    /// Returns the date that is a number of seconds earlier.
    public static func - <Seconds: PredicateOperand>(
        left: Self, seconds: Seconds
    ) -> QueryExpression<Date> where Seconds.Value: PredicateNumber {
        QueryExpression(.subtract, left.fetchExpression, seconds.fetchExpression)
    }

    /// Returns the seconds from the right date to the left date.
    public static func - <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Double> where Other.Value == Date {
        QueryExpression(.subtract, left.fetchExpression, right.fetchExpression)
    }

    /// Returns the seconds from the right date to the left date.
    public static func - (left: Self, right: Date) -> QueryExpression<Double> {
        QueryExpression(.subtract, left.fetchExpression, .constant(right.storedValue))
    }

    /// Returns the seconds from the right date to the left date.
    public static func - (left: Date, right: Self) -> QueryExpression<Double> {
        QueryExpression(.subtract, .constant(left.storedValue), right.fetchExpression)
    }
}
