public import Foundation

/// Arithmetic with dates, in seconds.
extension PredicateOperand where Value == Date {
    /// The date so many seconds later.
    public static func + (left: Self, seconds: Double) -> QueryExpression<Date> {
        QueryExpression(.add, left.fetchExpression, .constant(seconds.storedValue))
    }

    /// The date so many seconds later.
    public static func + <Seconds: PredicateOperand>(
        left: Self, seconds: Seconds
    ) -> QueryExpression<Date> where Seconds.Value: PredicateNumber {
        QueryExpression(.add, left.fetchExpression, seconds.fetchExpression)
    }

    /// The date so many seconds earlier.
    public static func - (left: Self, seconds: Double) -> QueryExpression<Date> {
        QueryExpression(.subtract, left.fetchExpression, .constant(seconds.storedValue))
    }

    /// The date so many seconds earlier.
    public static func - <Seconds: PredicateOperand>(
        left: Self, seconds: Seconds
    ) -> QueryExpression<Date> where Seconds.Value: PredicateNumber {
        QueryExpression(.subtract, left.fetchExpression, seconds.fetchExpression)
    }

    /// The seconds from the right date to the left one.
    public static func - <Other: PredicateOperand>(
        left: Self, right: Other
    ) -> QueryExpression<Double> where Other.Value == Date {
        QueryExpression(.subtract, left.fetchExpression, right.fetchExpression)
    }

    /// The seconds from the right date to the left one.
    public static func - (left: Self, right: Date) -> QueryExpression<Double> {
        QueryExpression(.subtract, left.fetchExpression, .constant(right.storedValue))
    }

    /// The seconds from the right date to the left one.
    public static func - (left: Date, right: Self) -> QueryExpression<Double> {
        QueryExpression(.subtract, .constant(left.storedValue), right.fetchExpression)
    }
}
