import DuramenModel
public import Foundation

/// A value in a typed predicate that is calculated from others, or given later.
///
/// ```swift
/// FetchPredicate(Quake.self) { $0.magnitude + $0.depth / 100 > .variable("LIMIT") }
/// ```
public struct QueryExpression<Value: PredicateValue>: PredicateOperand, Sendable {
    /// The expression for use in predicates.
    public let fetchExpression: FetchExpression
    /// How text is compared.
    public let comparisonOptions: PredicateComparison.Options

    /// Takes an expression of the format language as one with values of a type, which is not
    /// checked.
    public init(_ expression: FetchExpression) { self.init(expression, options: []) }

    init(_ expression: FetchExpression, options: PredicateComparison.Options) {
        fetchExpression = expression
        comparisonOptions = options
    }

    /// A value, or null, where an operator or function needs an expression: `QueryExpression(10) -
    /// $0.depth`.
    public init(_ value: Value?) {
        self.init(.constant(value?.storedValue ?? .null))
    }

    init(_ function: FetchFunction, _ arguments: FetchExpression...) {
        self.init(.function(function, arguments))
    }

    /// A value that ``FetchPredicate/withSubstitutionVariables(_:)`` sets: `$NAME`.
    public static func variable(_ name: String) -> QueryExpression {
        QueryExpression(.variable(name))
    }
}

extension QueryExpression<Date> {
    /// The time at which a fetch begins, also that of a predicate which is kept and used again:
    /// `now()`.
    ///
    /// `Date.now` is the time at which the closure runs.
    public static var fetchTime: QueryExpression { QueryExpression(.now) }
}

extension QueryExpression<Double> {
    /// A random number from 0 to below 1, another one for each object: `random()`.
    public static var random: QueryExpression { QueryExpression(.random) }

    /// The metres between two places on the earth, each a list of a latitude and a longitude in
    /// degrees.
    public static func distance(
        from start: QueryCollection<Double>, to end: QueryCollection<Double>
    ) -> QueryExpression {
        QueryExpression(.distance, end.fetchExpression, start.fetchExpression)
    }
}

extension QueryExpression<Int> {
    /// A random whole number from 0 to below another one: `randomn(below)`.
    public static func random(below bound: Int) -> QueryExpression {
        QueryExpression(.randomn, .constant(bound.storedValue))
    }
}
