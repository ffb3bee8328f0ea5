public import DuramenModel

/// One side of a comparison: a value, a list of values, or an expression that computes a value.
///
/// A key path through a to-many has many values: all values at its end that are not null. A
/// quantifier includes null values. You can use such a key path under a quantifier or in a function
/// of a collection. You can also use it on the right of ``PredicateComparison/Operator/isIn`` or on
/// the left of ``PredicateComparison/Operator/contains``.
///
/// The size of an expression is checked while it is built, as for a ``FetchPredicate``.
public struct FetchExpression: Sendable, Hashable {
    /// The kinds of expressions, with their parts.
    public indirect enum Form: Sendable, Hashable, Codable {
        /// A value.
        case constant(StoredValue)
        /// A list of values.
        case list([StoredValue])
        /// An attribute or relationship, directly or through relationships; null if an earlier
        /// to-one is null.
        case keyPath([String])
        /// The object itself.
        case selfObject
        /// The number of destinations of a to-many, the last step of the path; 0 if an earlier
        /// to-one is null.
        case count(keyPath: [String])
        /// A list of the values of expressions.
        case aggregate([FetchExpression])
        /// A variable. ``FetchPredicate/withSubstitutionVariables(_:)`` sets its value, or it is an
        /// element of the ``subquery(_:variable:_:)`` around it.
        case variable(String)
        /// A key path that begins at the value of an expression.
        case property(FetchExpression, [String])
        /// The result of a function for its arguments.
        case function(FetchFunction, [FetchExpression])
        /// The elements of a collection that satisfy a predicate, which refers to an element by the
        /// variable.
        case subquery(FetchExpression, variable: String, FetchPredicate)
        /// One of two expressions, chosen by a predicate. The other expression is not evaluated.
        case conditional(FetchPredicate, FetchExpression, FetchExpression)
        /// A value converted to another type; null if it cannot be converted.
        case cast(FetchExpression, FetchCast)
        /// The value of an expression, which is assigned to a variable for everything to its right.
        case assignment(String, FetchExpression)
        /// The values of all attributes, of which one must match.
        case anyKey
    }

    /// The kind and parts of the expression, for inspection: `if case .keyPath(let names) =
    /// expression.form`.
    ///
    /// The form of an expression that is too complex is a null constant.
    public let form: Form
    let size: PredicateSize

    /// Creates an expression from its form.
    public init(_ form: Form) {
        size = PredicateSize(of: form)
        self.form = size.excess == nil ? form : .constant(.null)
    }
}

/// A type to which an expression can be converted.
public enum FetchCast: String, Sendable, Hashable, Codable, CaseIterable {
    /// A number. Numbers stay unchanged, text becomes an integer or a double, and a date becomes
    /// its seconds since 2001.
    case number = "NSNumber"
    /// A decimal number, from text or another number.
    case decimal = "NSDecimalNumber"
    /// Text. A date becomes its ISO 8601 text.
    case text = "NSString"
    /// A date, from seconds since 2001 or from ISO 8601 text.
    case date = "NSDate"
    /// A UUID, from its text.
    case uuid = "NSUUID"
    /// A URI, from its text.
    case uri = "NSURL"
    /// Bytes, from their Base64 text.
    case binary = "NSData"
    /// An object ID, from its URI.
    case objectID = "NSManagedObjectID"

    /// The values that the cast accepts, for messages.
    var forms: String {
        switch self {
        case .number, .decimal: "a number, or the text of one such as '12.5'"
        case .text: "a value that has a text, not an object"
        case .date:
            "the seconds since 2001-01-01 as a number such as 800000000.5, or the date and time in ISO 8601 "
                + "such as '2026-05-09T22:13:20Z'"
        case .uuid: "the 36 characters of a UUID, such as 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'"
        case .uri: "the text of a URI, such as 'https://example.org/a'"
        case .binary: "the bytes in Base64, such as 'aGVsbG8='"
        case .objectID: "the URI of an object ID"
        }
    }

    /// Finds a type by its name in a format string, with or without the prefix `NS`.
    init?(name: String) {
        guard let type = FetchCast(rawValue: name) ?? FetchCast(rawValue: "NS" + name) else {
            return nil
        }
        self = type
    }
}
