public import DuramenModel

/// A value that can be passed to a format string for `%@`, or for a variable.
public protocol PredicateArgument {
    /// The value as an expression.
    var predicateExpression: FetchExpression { get }
}

extension PredicateValue {
    /// The value as a constant.
    public var predicateExpression: FetchExpression { .constant(storedValue) }
}

extension StoredValue: PredicateArgument {
    /// The value as a constant.
    public var predicateExpression: FetchExpression { .constant(self) }
}

extension FetchExpression: PredicateArgument {
    /// The expression itself.
    public var predicateExpression: FetchExpression { self }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// The value, or null for nil.
    public var predicateExpression: FetchExpression {
        self?.predicateExpression ?? .constant(.null)
    }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// The elements as a list.
    public var predicateExpression: FetchExpression { .list(of: self) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// The elements as a list.
    public var predicateExpression: FetchExpression { .list(of: self) }
}

extension Dictionary: PredicateArgument where Value: PredicateArgument {
    /// The values of the dictionary as a list.
    public var predicateExpression: FetchExpression { .list(of: values) }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
    /// Both bounds as a list, for `BETWEEN`.
    public var predicateExpression: FetchExpression { .list(of: [lowerBound, upperBound]) }
}

extension FetchExpression {
    /// Returns a list of values if all arguments are constants, otherwise a list of expressions.
    static func list(of arguments: some Sequence<some PredicateArgument>) -> FetchExpression {
        let parts = arguments.map(\.predicateExpression)
        var values: [StoredValue] = []
        for part in parts { if let value = part.constantValue { values.append(value) } }
        return values.count == parts.count ? .list(values) : .aggregate(parts)
    }
}
