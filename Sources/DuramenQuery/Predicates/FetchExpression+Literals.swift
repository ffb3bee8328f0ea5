import DuramenModel

// So that values can be given to properties as they are:
// `["status": "reviewed", "depth": 2.5, "note": .null]`.

extension FetchExpression: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// A text. It is a value, not a format: for that, see ``init(format:_:)``.
    public init(stringLiteral text: String) { self = .constant(.text(StoredText(text))) }
}

extension FetchExpression: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral number: Int64) { self = .constant(.integer(number)) }
}

extension FetchExpression: ExpressibleByFloatLiteral {
    /// A number with a fraction.
    public init(floatLiteral number: Double) { self = .constant(.double(number)) }
}

extension FetchExpression: ExpressibleByBooleanLiteral {
    /// A truth value.
    public init(booleanLiteral flag: Bool) { self = .constant(.boolean(flag)) }
}

// Not `nil`: with `ExpressibleByNilLiteral`, `condition ? expression : nil` would be no optional
// any more.
extension FetchExpression {
    /// No value: what takes the value of an attribute away.
    public static var null: FetchExpression { .constant(.null) }
}
