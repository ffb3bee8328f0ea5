public import DuramenModel

/// A value that can be passed to a format string for `%@`, or for a variable.
public protocol PredicateArgument {
    /// The value as an expression.
    var predicateExpression: FetchExpression { get }
}

extension PredicateValue {
    /// A constant.
    public var predicateExpression: FetchExpression { .constant(storedValue) }
}

extension StoredValue: PredicateArgument {
    /// A constant.
    public var predicateExpression: FetchExpression { .constant(self) }
}

extension FetchExpression: PredicateArgument {
    /// The expression itself.
    public var predicateExpression: FetchExpression { self }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// The value, or null for none.
    public var predicateExpression: FetchExpression {
        self?.predicateExpression ?? .constant(.null)
    }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// A list.
    public var predicateExpression: FetchExpression { .list(of: self) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// A list.
    public var predicateExpression: FetchExpression { .list(of: self) }
}

extension Dictionary: PredicateArgument where Value: PredicateArgument {
    /// The list of the values.
    public var predicateExpression: FetchExpression { .list(of: values) }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
    /// The list of both ends, for `BETWEEN`.
    public var predicateExpression: FetchExpression { .list(of: [lowerBound, upperBound]) }
}

extension FetchExpression {
    /// A list of values where all are constants, else of expressions.
    static func list(of arguments: some Sequence<some PredicateArgument>) -> FetchExpression {
        let parts = arguments.map(\.predicateExpression)
        var values: [StoredValue] = []
        for part in parts { if let value = part.constantValue { values.append(value) } }
        return values.count == parts.count ? .list(values) : .aggregate(parts)
    }
}
