import DuramenModel
public import Foundation

/// A value in a typed predicate that is calculated from other values, or set later.
///
/// ```swift
/// FetchPredicate(Quake.self) { $0.magnitude + $0.depth / 100 > .variable("LIMIT") }
/// ```
public struct QueryExpression<Value: PredicateValue>: PredicateOperand, Sendable {
    /// The expression for use in predicates.
    public let fetchExpression: FetchExpression
    /// The options for comparing text.
    public let comparisonOptions: PredicateComparison.Options

    /// Creates a typed expression from an expression of the format language. The type of its values
    /// is not checked.
    public init(_ expression: FetchExpression) { self.init(expression, options: []) }

    init(_ expression: FetchExpression, options: PredicateComparison.Options) {
        fetchExpression = expression
        comparisonOptions = options
    }

    /// Creates a constant, or null, for operators and functions that need an expression:
    /// `QueryExpression(10) - $0.depth`.
    public init(_ value: Value?) {
        self.init(.constant(value?.storedValue ?? .null))
    }

    init(_ function: FetchFunction, _ arguments: FetchExpression...) {
        self.init(.function(function, arguments))
    }

    /// Returns a variable that ``FetchPredicate/withSubstitutionVariables(_:)`` sets: `$NAME`.
    public static func variable(_ name: String) -> QueryExpression {
        QueryExpression(.variable(name))
    }
}

extension QueryExpression<Date> {
    /// The time at which a fetch begins, even if the predicate is stored and used again: `now()`.
    ///
    /// `Date.now` is the time at which the closure runs.
    public static var fetchTime: QueryExpression { QueryExpression(.now) }
}

extension QueryExpression<Double> {
    /// A random number from 0 to below 1, different for each object: `random()`.
    public static var random: QueryExpression { QueryExpression(.random) }

    /// Returns the distance in metres between two places on the earth, each a list of a latitude
    /// and a longitude in degrees.
    public static func distance(
        from start: QueryCollection<Double>, to end: QueryCollection<Double>
    ) -> QueryExpression {
        QueryExpression(.distance, end.fetchExpression, start.fetchExpression)
    }
}

extension QueryExpression<Int> {
    /// Returns a random integer from 0 to below the bound: `randomn(below)`.
    public static func random(below bound: Int) -> QueryExpression {
        QueryExpression(.randomn, .constant(bound.storedValue))
    }
}
