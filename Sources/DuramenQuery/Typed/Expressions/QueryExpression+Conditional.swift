extension QueryExpression {
    /// Creates an expression that chooses one of two values by a predicate: `TERNARY(condition,
    /// first, second)`.
    public init<First: PredicateOperand<Value>, Second: PredicateOperand<Value>>(
        if condition: FetchPredicate, then first: First, else second: Second
    ) {
        self.init(.conditional(condition, first.fetchExpression, second.fetchExpression))
    }

    /// Creates an expression that chooses one of two values by a predicate.
    public init(
        if condition: FetchPredicate, then first: some PredicateOperand<Value>, else second: Value?
    ) {
        self.init(if: condition, then: first, else: QueryExpression(second))
    }

    /// Creates an expression that chooses one of two values by a predicate.
    public init(
        if condition: FetchPredicate, then first: Value?, else second: some PredicateOperand<Value>
    ) {
        self.init(if: condition, then: QueryExpression(first), else: second)
    }

    /// Creates an expression that chooses one of two values by a predicate.
    public init(if condition: FetchPredicate, then first: Value?, else second: Value?) {
        self.init(if: condition, then: QueryExpression(first), else: QueryExpression(second))
    }
}

extension PredicateOperand {
    // Not `??`: the compiler may choose Swift's own operator, which needs an optional on the left.
    /// Returns the value, or another value if it is null: `TERNARY(x != nil, x, other)`.
    public func replacingNil(with other: Value) -> QueryExpression<Value> {
        replacingNil(with: QueryExpression(other))
    }

    /// Returns the value, or another value if it is null: `TERNARY(x != nil, x, other)`.
    public func replacingNil<Other: PredicateOperand>(
        with other: Other
    ) -> QueryExpression<Value> where Other.Value == Value {
        QueryExpression(if: self != nil, then: self, else: other)
    }

    /// The value, evaluated without an index: `noindex:(x)`.
    public var withoutIndex: QueryExpression<Value> {
        QueryExpression(.function(.noindex, [fetchExpression]), options: comparisonOptions)
    }
}
