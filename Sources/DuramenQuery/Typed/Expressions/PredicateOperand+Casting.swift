public import DuramenModel
public import Foundation

/// A Swift type that values of other types can be turned into.
public protocol PredicateCastTarget: PredicateValue {
    /// The type's name in format strings.
    static var fetchCast: FetchCast { get }
}

extension PredicateOperand {
    /// Converts the value to another type; null if it cannot be converted: `CAST(x, 'NSString')`.
    ///
    /// A number stays what it is: what is cast to `Int` may have a fraction. See ``FetchCast``.
    public func cast<Other: PredicateCastTarget>(to type: Other.Type) -> QueryExpression<Other> {
        QueryExpression(.cast(fetchExpression, Other.fetchCast))
    }
}

extension Int: PredicateCastTarget {
    /// A number.
    public static var fetchCast: FetchCast { .number }
}

extension Double: PredicateCastTarget {
    /// A number.
    public static var fetchCast: FetchCast { .number }
}

extension Decimal: PredicateCastTarget {
    /// A decimal number.
    public static var fetchCast: FetchCast { .decimal }
}

extension String: PredicateCastTarget {
    /// Text.
    public static var fetchCast: FetchCast { .text }
}

extension Date: PredicateCastTarget {
    /// A point in time.
    public static var fetchCast: FetchCast { .date }
}

extension UUID: PredicateCastTarget {
    /// An identifier.
    public static var fetchCast: FetchCast { .uuid }
}

extension URL: PredicateCastTarget {
    /// A URI.
    public static var fetchCast: FetchCast { .uri }
}

extension Data: PredicateCastTarget {
    /// Bytes.
    public static var fetchCast: FetchCast { .binary }
}

extension ManagedObjectID: PredicateCastTarget {
    /// A reference.
    public static var fetchCast: FetchCast { .objectID }
}
