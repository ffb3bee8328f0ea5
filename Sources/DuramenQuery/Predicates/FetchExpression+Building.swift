public import DuramenModel

extension FetchExpression {
    /// Creates an expression with a constant value.
    public static func constant(_ value: StoredValue) -> FetchExpression { Self(.constant(value)) }

    /// Creates a list of values, at most 100,000.
    public static func list(_ values: [StoredValue]) -> FetchExpression { Self(.list(values)) }

    /// Creates a key path to an attribute or relationship; see ``Form/keyPath(_:)``.
    public static func keyPath(_ names: [String]) -> FetchExpression { Self(.keyPath(names)) }

    /// The object itself.
    public static var selfObject: FetchExpression { Self(.selfObject) }

    /// Creates the number of destinations of a to-many; see ``Form/count(keyPath:)``.
    public static func count(keyPath: [String]) -> FetchExpression {
        Self(.count(keyPath: keyPath))
    }

    /// Creates a list of the values of expressions.
    public static func aggregate(_ parts: [FetchExpression]) -> FetchExpression {
        Self(.aggregate(parts))
    }

    /// Creates a variable; see ``Form/variable(_:)``.
    public static func variable(_ name: String) -> FetchExpression { Self(.variable(name)) }

    /// Creates a key path that starts at the object of another expression.
    public static func property(_ base: FetchExpression, _ names: [String]) -> FetchExpression {
        Self(.property(base, names))
    }

    /// Creates a call of a function.
    public static func function(
        _ function: FetchFunction, _ arguments: [FetchExpression]
    ) -> FetchExpression { Self(.function(function, arguments)) }

    /// Creates a subquery: the elements of a collection that satisfy a predicate. The predicate
    /// refers to an element by the variable.
    public static func subquery(
        _ collection: FetchExpression, variable: String, _ condition: FetchPredicate
    ) -> FetchExpression { Self(.subquery(collection, variable: variable, condition)) }

    /// Creates an expression that chooses one of two values; see ``Form/conditional(_:_:_:)``.
    public static func conditional(
        _ condition: FetchPredicate, _ first: FetchExpression, _ second: FetchExpression
    ) -> FetchExpression { Self(.conditional(condition, first, second)) }

    /// Creates an expression that converts a value to another type; null if it cannot be converted.
    public static func cast(_ value: FetchExpression, _ type: FetchCast) -> FetchExpression {
        Self(.cast(value, type))
    }

    /// Creates an expression that assigns a name to a value; see ``Form/assignment(_:_:)``.
    public static func assignment(_ name: String, _ value: FetchExpression) -> FetchExpression {
        Self(.assignment(name, value))
    }

    /// The values of all attributes, of which one must match.
    public static var anyKey: FetchExpression { Self(.anyKey) }
}

extension FetchExpression {
    /// Returns a condition that the expression has one of any number of values. Long lists are
    /// split.
    package func isIn(_ values: [StoredValue]) -> FetchPredicate {
        let parts = stride(from: 0, to: max(1, values.count), by: PredicateSize.longestList).map {
            FetchPredicate.comparison(
                PredicateComparison(
                    self, .isIn,
                    .list(Array(values[$0..<min($0 + PredicateSize.longestList, values.count)]))))
        }
        return parts.count == 1 ? parts[0] : .or(parts)
    }
}

extension FetchExpression: Codable {
    /// Decodes an expression.
    public init(from decoder: any Decoder) throws {
        try PredicateSize.checkDepth(of: decoder)
        self.init(try Form(from: decoder))
    }

    /// Encodes the expression.
    ///
    /// - Throws: `EncodingError` for an expression that is too complex.
    public func encode(to encoder: any Encoder) throws {
        try size.checkEncoding(to: encoder)
        try form.encode(to: encoder)
    }
}
