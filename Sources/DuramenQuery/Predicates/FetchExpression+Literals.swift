import DuramenModel

// Literals can be assigned to properties directly: `["status": "reviewed", "depth": 2.5, "note":
// .null]`.

extension FetchExpression: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a constant text. For a format string, use ``init(format:_:)``.
    public init(stringLiteral text: String) { self = .constant(.text(StoredText(text))) }
}

extension FetchExpression: ExpressibleByIntegerLiteral {
    /// Creates a constant integer.
    public init(integerLiteral number: Int64) { self = .constant(.integer(number)) }
}

extension FetchExpression: ExpressibleByFloatLiteral {
    /// Creates a constant double.
    public init(floatLiteral number: Double) { self = .constant(.double(number)) }
}

extension FetchExpression: ExpressibleByBooleanLiteral {
    /// Creates a constant Boolean.
    public init(booleanLiteral flag: Bool) { self = .constant(.boolean(flag)) }
}

// Not `nil`: with `ExpressibleByNilLiteral`, `condition ? expression : nil` would no longer be an
// optional.
extension FetchExpression {
    /// The null value, which removes the value of an attribute.
    public static var null: FetchExpression { .constant(.null) }
}
