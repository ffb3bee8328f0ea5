extension FetchPredicate {
    /// Parses a predicate from a format string: `FetchPredicate("magnitude >= %@ AND tags.@count >
    /// 0", 6)`.
    ///
    /// The language is that of Core Data's format strings. `%@` is replaced by a value, and `%K` by
    /// a key path, but not between quotes. AND binds more tightly than OR. There are two additions:
    /// `ANY path (condition)` applies a condition to the objects at the end of a path, and `NOT IN`
    /// is permitted.
    ///
    /// - Parameters:
    ///   - format: The format string.
    ///   - arguments: The values for the placeholders, in order.
    /// - Throws: ``PredicateFormatError`` with the position and the remedy. Whether the names fit
    ///   an entity is checked when the predicate is used.
    /// - Complexity: O(*n*) in the length of the format string.
    public init(
        _ format: String, _ arguments: any PredicateArgument...
    ) throws(PredicateFormatError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Parses a predicate from a format string, with Core Data's argument label.
    public init(
        format: String, _ arguments: any PredicateArgument...
    ) throws(PredicateFormatError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Parses a predicate from a format string and a list of arguments.
    public init(
        format: String, arguments: [any PredicateArgument]
    ) throws(PredicateFormatError) {
        var parser = try FormatParser(format, arguments)
        self = try parser.predicate()
    }
}

extension FetchExpression {
    /// Parses an expression from a format string: `FetchExpression(format: "price * %@", 1.19)`.
    ///
    /// - Parameters:
    ///   - format: The format string.
    ///   - arguments: The values for the placeholders, in order.
    /// - Throws: ``PredicateFormatError`` with the position and the remedy.
    public init(
        format: String, _ arguments: any PredicateArgument...
    ) throws(PredicateFormatError) {
        var parser = try FormatParser(format, arguments)
        self = try parser.expression()
    }
}
