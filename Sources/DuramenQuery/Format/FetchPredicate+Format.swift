extension FetchPredicate {
    /// Reads a predicate from a format string: `FetchPredicate("magnitude >= %@ AND tags.@count >
    /// 0", 6)`.
    ///
    /// The language is that of Core Data's format strings. `%@` stands for a value, `%K` for a key
    /// path; between quotes they are text. AND binds more tightly than OR. Beyond Core Data's
    /// language, `ANY path (condition)` asks what is at the end of a path, and `NOT IN` may be
    /// written.
    ///
    /// - Throws: ``PredicateFormatError`` with the place and the remedy. Whether the names fit an
    ///   entity is checked when the predicate is used.
    /// - Complexity: O(*n*) in the length of the format string.
    public init(
        _ format: String, _ arguments: any PredicateArgument...
    ) throws(PredicateFormatError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Reads a predicate from a format string, by Core Data's label; see ``init(_:_:)``.
    public init(
        format: String, _ arguments: any PredicateArgument...
    ) throws(PredicateFormatError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Reads a predicate from a format string and a list of arguments; see ``init(_:_:)``.
    public init(
        format: String, arguments: [any PredicateArgument]
    ) throws(PredicateFormatError) {
        var parser = try FormatParser(format, arguments)
        self = try parser.predicate()
    }
}

extension FetchExpression {
    /// Reads an expression from a format string: `FetchExpression(format: "price * %@", 1.19)`.
    ///
    /// - Throws: ``PredicateFormatError`` with the place and the remedy.
    public init(
        format: String, _ arguments: any PredicateArgument...
    ) throws(PredicateFormatError) {
        var parser = try FormatParser(format, arguments)
        self = try parser.expression()
    }
}
