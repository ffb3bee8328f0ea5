import DuramenModel

/// An attribute in a typed predicate; comparing it makes a predicate.
public struct AttributePath<Value: PredicateValue> {
    let queryNames: [String]

    init(queryNames: [String]) { self.queryNames = queryNames }

    private func compared(
        _ relation: PredicateComparison.Operator, _ right: FetchExpression,
        _ options: PredicateComparison.Options = []
    ) -> FetchPredicate {
        .comparison(
            PredicateComparison(.keyPath(queryNames), relation, right, options: options))
    }

    private func compared(
        _ relation: PredicateComparison.Operator, _ value: Value?,
        _ options: PredicateComparison.Options = []
    ) -> FetchPredicate {
        compared(relation, .constant(value?.storedValue ?? .null), options)
    }
}

// MARK: - Equality

extension AttributePath {
    /// The attribute has that value.
    public static func == (path: AttributePath, value: Value) -> FetchPredicate {
        path.compared(.equal, value)
    }

    /// The attribute has another value, or none.
    public static func != (path: AttributePath, value: Value) -> FetchPredicate {
        path.compared(.notEqual, value)
    }

    /// The attribute has that value, or is null for nil.
    @_disfavoredOverload
    public static func == (path: AttributePath, value: Value?) -> FetchPredicate {
        path.compared(.equal, value)
    }

    /// The opposite of `==`.
    @_disfavoredOverload
    public static func != (path: AttributePath, value: Value?) -> FetchPredicate {
        path.compared(.notEqual, value)
    }

    /// The attribute is null.
    public static func == (
        path: AttributePath, none: _OptionalNilComparisonType
    ) -> FetchPredicate { path.compared(.equal, nil) }

    /// The attribute has a value.
    public static func != (
        path: AttributePath, none: _OptionalNilComparisonType
    ) -> FetchPredicate { path.compared(.notEqual, nil) }

    /// Both attributes have the same value, or both are null.
    public static func == (left: AttributePath, right: AttributePath) -> FetchPredicate {
        left.compared(.equal, .keyPath(right.queryNames))
    }

    /// The attributes differ.
    public static func != (left: AttributePath, right: AttributePath) -> FetchPredicate {
        left.compared(.notEqual, .keyPath(right.queryNames))
    }

    /// The attribute has one of those values.
    public func isIn(_ values: some Sequence<Value>) -> FetchPredicate {
        compared(.isIn, .list(values.map(\.storedValue)))
    }
}

// MARK: - Order

extension AttributePath {
    /// The attribute has a smaller value.
    public static func < (path: AttributePath, value: Value) -> FetchPredicate {
        path.compared(.less, value)
    }

    /// The attribute has a smaller value or that one.
    public static func <= (path: AttributePath, value: Value) -> FetchPredicate {
        path.compared(.lessOrEqual, value)
    }

    /// The attribute has a greater value.
    public static func > (path: AttributePath, value: Value) -> FetchPredicate {
        path.compared(.greater, value)
    }

    /// The attribute has a greater value or that one.
    public static func >= (path: AttributePath, value: Value) -> FetchPredicate {
        path.compared(.greaterOrEqual, value)
    }

    /// The left attribute's value is smaller.
    public static func < (left: AttributePath, right: AttributePath) -> FetchPredicate {
        left.compared(.less, .keyPath(right.queryNames))
    }

    /// The left attribute's value is smaller or the same.
    public static func <= (left: AttributePath, right: AttributePath) -> FetchPredicate {
        left.compared(.lessOrEqual, .keyPath(right.queryNames))
    }

    /// The left attribute's value is greater.
    public static func > (left: AttributePath, right: AttributePath) -> FetchPredicate {
        left.compared(.greater, .keyPath(right.queryNames))
    }

    /// The left attribute's value is greater or the same.
    public static func >= (left: AttributePath, right: AttributePath) -> FetchPredicate {
        left.compared(.greaterOrEqual, .keyPath(right.queryNames))
    }

    /// The attribute's value lies within two values, both included.
    public func between(_ low: Value, _ high: Value) -> FetchPredicate {
        compared(.between, .list([low.storedValue, high.storedValue]))
    }
}

// MARK: - Text

extension AttributePath where Value == String {
    /// The attribute has that text, compared with options.
    public func isEqual(
        to text: String, _ options: PredicateComparison.Options
    ) -> FetchPredicate { compared(.equal, text, options) }

    /// The text contains another.
    public func contains(
        _ text: String, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate { compared(.contains, text, options) }

    /// The text begins with another.
    public func beginsWith(
        _ text: String, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate { compared(.beginsWith, text, options) }

    /// The text ends with another.
    public func endsWith(
        _ text: String, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate { compared(.endsWith, text, options) }

    /// The whole text matches a pattern; see ``PredicateComparison/Operator/like``.
    public func like(
        _ pattern: String, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate { compared(.like, pattern, options) }

    /// The text is one of those, compared with options.
    public func isIn(
        _ texts: some Sequence<String>, _ options: PredicateComparison.Options
    ) -> FetchPredicate { compared(.isIn, .list(texts.map(\.storedValue)), options) }
}
