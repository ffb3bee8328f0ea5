/// One column of a result: a name and an expression.
///
/// A column is an aggregate when its expression calls an aggregate function on something that a row
/// has one of: `sum(magnitude)`, `max(region.name)`, `count(SELF)` for the number of rows, and what
/// is calculated from such, as `sum(magnitude) / count(SELF)`. A function of what a to-many leads
/// to, as `tags.@count`, is a value of each row, and no aggregate.
public struct ResultColumn: Sendable, Hashable, Codable {
    /// The name under which results have the value.
    public var name: String
    /// The expression that gives the column's value.
    public var expression: FetchExpression

    /// Names an expression.
    public init(_ name: String, _ expression: FetchExpression) {
        self.name = name
        self.expression = expression
    }

    /// Names an expression that is read from a format string: `ResultColumn("total",
    /// "sum(magnitude)")`.
    ///
    /// - Throws: ``PredicateFormatError`` with the place and the remedy.
    public init(
        _ name: String, _ format: String, _ arguments: any PredicateArgument...
    ) throws(PredicateFormatError) {
        var parser = try FormatParser(format, arguments)
        self.init(name, try parser.expression())
    }

    /// An attribute or a to-one, reached over to-ones, under its own name:
    /// `ResultColumn("region.name")`.
    public init(_ keyPath: String) {
        self.init(keyPath, .keyPath(keyPath.keyPathNames))
    }
}

extension ResultColumn: ExpressibleByStringLiteral {
    /// A key path under its own name.
    public init(stringLiteral keyPath: String) { self.init(keyPath) }
}
