public import DuramenModel

/// A side of a comparison: a value, a list of values, or an expression that computes one.
///
/// A key path that goes over a to-many leads to many values: those at its end that are not null,
/// and under a quantifier the nulls too. It stands under a quantifier, in a function of a
/// collection, on the right of ``PredicateComparison/Operator/isIn`` or on the left of
/// ``PredicateComparison/Operator/contains``.
///
/// An expression counts its levels while it is built, as a ``FetchPredicate`` does.
public struct FetchExpression: Sendable, Hashable {
    /// The kinds of expressions, with their parts.
    public indirect enum Form: Sendable, Hashable, Codable {
        /// A value.
        case constant(StoredValue)
        /// A list of values.
        case list([StoredValue])
        /// An attribute or relationship, reached over relationships; null when a to-one before the
        /// last step is null.
        case keyPath([String])
        /// The object itself.
        case selfObject
        /// The number of destinations of a to-many, which is the path's last step; 0 behind a null.
        case count(keyPath: [String])
        /// A list of what the expressions give.
        case aggregate([FetchExpression])
        /// A value that ``FetchPredicate/withSubstitutionVariables(_:)`` puts in, or the element
        /// that a ``subquery(_:variable:_:)`` around it looks at.
        case variable(String)
        /// A key path that begins at what an expression leads to.
        case property(FetchExpression, [String])
        /// What a function gives for some arguments.
        case function(FetchFunction, [FetchExpression])
        /// The elements of a collection for which a predicate holds that calls them by a variable.
        case subquery(FetchExpression, variable: String, FetchPredicate)
        /// One of two expressions, as a predicate says; the other one is not looked at.
        case conditional(FetchPredicate, FetchExpression, FetchExpression)
        /// A value as one of another type; null where it has none.
        case cast(FetchExpression, FetchCast)
        /// What an expression gives, which a variable then stands for in all that is to its right.
        case assignment(String, FetchExpression)
        /// The values of all attributes, one of which has to match.
        case anyKey
    }

    /// The kind and parts of the expression, to inspect it: `if case .keyPath(let names) =
    /// expression.form`.
    ///
    /// An expression that is too complex is a null.
    public let form: Form
    let size: PredicateSize

    /// Makes an expression of what it is.
    public init(_ form: Form) {
        size = PredicateSize(of: form)
        self.form = size.excess == nil ? form : .constant(.null)
    }
}

/// A type that an expression can be turned into.
public enum FetchCast: String, Sendable, Hashable, Codable, CaseIterable {
    /// A number, which stays what it is; of text, the integer or double that it is, of a date, the
    /// seconds since 2001.
    case number = "NSNumber"
    /// A decimal number, read from text or another number.
    case decimal = "NSDecimalNumber"
    /// The text of a value; a date's is that of ISO 8601.
    case text = "NSString"
    /// A date from seconds since 2001, or from text of ISO 8601.
    case date = "NSDate"
    /// A UUID from its text.
    case uuid = "NSUUID"
    /// A URI from its text.
    case uri = "NSURL"
    /// Bytes from their Base64 text.
    case binary = "NSData"
    /// An object ID from its URI.
    case objectID = "NSManagedObjectID"

    /// The forms of values that the cast takes, for messages.
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

    /// Finds a type by its name in a format string, with or without the prefix.
    init?(name: String) {
        guard let type = FetchCast(rawValue: name) ?? FetchCast(rawValue: "NS" + name) else {
            return nil
        }
        self = type
    }
}
