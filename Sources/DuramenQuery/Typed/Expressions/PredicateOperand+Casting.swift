public import DuramenModel
public import Foundation

/// A Swift type to which predicates can convert values.
public protocol PredicateCastTarget: PredicateValue {
    /// The type's name in format strings.
    static var fetchCast: FetchCast { get }
}

extension PredicateOperand {
    /// Converts the value to another type; null if it cannot be converted: `CAST(x, 'NSString')`.
    ///
    /// Numbers are not rounded: a number that is cast to `Int` can still have a fraction. See
    /// ``FetchCast``.
    public func cast<Other: PredicateCastTarget>(to type: Other.Type) -> QueryExpression<Other> {
        QueryExpression(.cast(fetchExpression, Other.fetchCast))
    }
}

extension Int: PredicateCastTarget {
    /// The cast to a number.
    public static var fetchCast: FetchCast { .number }
}

extension Double: PredicateCastTarget {
    /// The cast to a number.
    public static var fetchCast: FetchCast { .number }
}

extension Decimal: PredicateCastTarget {
    /// The cast to a decimal number.
    public static var fetchCast: FetchCast { .decimal }
}

extension String: PredicateCastTarget {
    /// The cast to text.
    public static var fetchCast: FetchCast { .text }
}

extension Date: PredicateCastTarget {
    /// The cast to a date.
    public static var fetchCast: FetchCast { .date }
}

extension UUID: PredicateCastTarget {
    /// The cast to a UUID.
    public static var fetchCast: FetchCast { .uuid }
}

extension URL: PredicateCastTarget {
    /// The cast to a URI.
    public static var fetchCast: FetchCast { .uri }
}

extension Data: PredicateCastTarget {
    /// The cast to bytes.
    public static var fetchCast: FetchCast { .binary }
}

extension ManagedObjectID: PredicateCastTarget {
    /// The cast to an object ID.
    public static var fetchCast: FetchCast { .objectID }
}
