/// A collection of values in a typed predicate: the values of a to-many, or a list.
///
/// Nulls are left out. `ToManyPath.values` returns a collection:
/// ```swift
/// FetchPredicate(Quake.self) { $0.tags.values(\.name).contains("felt") }
/// ```
public struct QueryCollection<Value: PredicateValue>: Sendable {
    /// The expression for use in predicates.
    public let fetchExpression: FetchExpression

    /// Creates a collection from an expression of the format language. The type of its values is
    /// not checked.
    public init(_ expression: FetchExpression) { fetchExpression = expression }

    init(_ function: FetchFunction, _ arguments: FetchExpression...) {
        fetchExpression = .function(function, arguments)
    }

    /// Creates a list of values.
    public init(_ values: some Sequence<Value>) {
        fetchExpression = .list(values.map(\.storedValue))
    }

    /// Creates a list of expressions: `{a, b}`.
    public init(of operands: any PredicateOperand<Value>...) {
        fetchExpression = .aggregate(operands.map(\.fetchExpression))
    }

    /// Returns a list whose values ``FetchPredicate/withSubstitutionVariables(_:)`` sets: `$NAME`.
    public static func variable(_ name: String) -> QueryCollection {
        QueryCollection(.variable(name))
    }
}

// MARK: - Membership

extension QueryCollection {
    /// Returns a predicate that is true if the collection contains the value.
    public func contains(
        _ value: Value, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate { contains(QueryExpression(value), options) }

    /// Returns a predicate that is true if the collection contains the value.
    public func contains<Other: PredicateOperand>(
        _ value: Other, _ options: PredicateComparison.Options = []
    ) -> FetchPredicate where Other.Value.Family == Value.Family {
        .comparison(
            PredicateComparison(
                fetchExpression, .contains, value.fetchExpression,
                options: value.comparisonOptions.union(options)))
    }

    /// A predicate that is true if the collection is empty.
    public var isEmpty: FetchPredicate { count == 0 }
}

// MARK: - Conditions on the values

extension QueryCollection {
    /// Returns a predicate that is true if a value satisfies the condition: `ANY tags.name
    /// BEGINSWITH 'f'`.
    public func any(
        _ condition: (QueryExpression<Value>) -> FetchPredicate
    ) -> FetchPredicate { quantified(.any, condition) }

    /// Returns a predicate that is true if every value satisfies the condition, or if there are no
    /// values.
    public func all(
        _ condition: (QueryExpression<Value>) -> FetchPredicate
    ) -> FetchPredicate { quantified(.all, condition) }

    /// Returns a predicate that is true if no value satisfies the condition.
    public func none(
        _ condition: (QueryExpression<Value>) -> FetchPredicate
    ) -> FetchPredicate { quantified(.none, condition) }

    /// Returns the values that satisfy a condition: `SUBQUERY(values, $x, condition)`.
    public func `where`(
        _ condition: (QueryExpression<Value>) -> FetchPredicate
    ) -> QueryCollection {
        let subject = ClosureSubject()
        return QueryCollection(
            subject.subquery(of: fetchExpression, condition(QueryExpression(subject.expression))))
    }

    /// Returns the number of values that satisfy a condition.
    public func count(
        where condition: (QueryExpression<Value>) -> FetchPredicate
    ) -> QueryExpression<Int> { self.where(condition).count }

    private func quantified(
        _ quantifier: PredicateQuantifier, _ condition: (QueryExpression<Value>) -> FetchPredicate
    ) -> FetchPredicate {
        let subject = ClosureSubject()
        let built = condition(QueryExpression(subject.expression))
        if case .comparison(var comparison) = built.form, comparison.quantifier == nil,
            comparison.left == subject.expression, !subject.isPart(of: comparison.right)
        {
            comparison.left = fetchExpression
            comparison.quantifier = quantifier
            return .comparison(comparison)
        }
        return subject.quantified(quantifier, of: fetchExpression, built)
    }
}

extension QueryCollection<Double> {
    /// Creates a place for ``QueryExpression/distance(from:to:)`` from a composite with a latitude
    /// and a longitude.
    public init(_ place: CompositePath<some QueryableComposite>) {
        self.init(.keyPath(place.queryNames))
    }
}
