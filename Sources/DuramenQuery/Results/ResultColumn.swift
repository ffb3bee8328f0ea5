/// One column of a result: a name and an expression.
///
/// A column is an aggregate if its expression applies an aggregate function to an expression with
/// one value for each row. Examples are `sum(magnitude)`, `max(region.name)` and `count(SELF)`, the
/// number of rows. An expression of aggregates is an aggregate too: `sum(magnitude) / count(SELF)`.
/// A function of a to-many, such as `tags.@count`, is a value of each row, not an aggregate.
public struct ResultColumn: Sendable, Hashable, Codable {
    /// The name of the value in results.
    public var name: String
    /// The expression of the column's value.
    public var expression: FetchExpression

    /// Creates a column from an expression.
    public init(_ name: String, _ expression: FetchExpression) {
        self.name = name
        self.expression = expression
    }

    /// Creates a column from a format string: `ResultColumn("total", "sum(magnitude)")`.
    ///
    /// - Parameters:
    ///   - name: The name of the column.
    ///   - format: The format string of the expression.
    ///   - arguments: The values for the placeholders, in order.
    /// - Throws: ``PredicateFormatError`` with the position and the remedy.
    public init(
        _ name: String, _ format: String, _ arguments: any PredicateArgument...
    ) throws(PredicateFormatError) {
        var parser = try FormatParser(format, arguments)
        self.init(name, try parser.expression())
    }

    /// Creates a column from an attribute or a to-one, directly or through to-ones. The key path is
    /// its name: `ResultColumn("region.name")`.
    public init(_ keyPath: String) {
        self.init(keyPath, .keyPath(keyPath.keyPathNames))
    }
}

extension ResultColumn: ExpressibleByStringLiteral {
    /// Creates a column from a key path, which is also its name.
    public init(stringLiteral keyPath: String) { self.init(keyPath) }
}
