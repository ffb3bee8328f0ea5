/// An operand in a typed predicate: an attribute, or an expression built from attributes.
///
/// Comparisons of operands return predicates, and calculations return a ``QueryExpression``. The
/// operators are declared once, here, for both.
public protocol PredicateOperand<Value> {
    /// The type of the values. An optional operand has the type of its values, and may be null.
    associatedtype Value: PredicateValue

    /// The expression for use in predicates.
    var fetchExpression: FetchExpression { get }

    /// The options for comparing text; see ``comparing(_:)``.
    var comparisonOptions: PredicateComparison.Options { get }
}

extension PredicateOperand {
    /// No options.
    public var comparisonOptions: PredicateComparison.Options { [] }

    /// Returns this value with another Swift type. Nothing is converted.
    ///
    /// Numbers of all types compare by value. If a Swift operator needs one type, set it with this
    /// method: `$0.price.typed(as: Double.self) * $0.weight`.
    public func typed<Other: PredicateValue>(as type: Other.Type) -> QueryExpression<Other>
    where Other.Family == Value.Family {
        QueryExpression(fetchExpression, options: comparisonOptions)
    }

    func compared(
        _ relation: PredicateComparison.Operator, _ right: FetchExpression,
        _ options: PredicateComparison.Options = []
    ) -> FetchPredicate {
        .comparison(
            PredicateComparison(
                fetchExpression, relation, right, options: comparisonOptions.union(options)))
    }

    func compared(
        _ relation: PredicateComparison.Operator, _ value: some PredicateValue,
        _ options: PredicateComparison.Options = []
    ) -> FetchPredicate {
        compared(relation, .constant(value.storedValue), options)
    }

    func compared(
        _ relation: PredicateComparison.Operator, _ other: some PredicateOperand,
        _ options: PredicateComparison.Options = []
    ) -> FetchPredicate {
        compared(relation, other.fetchExpression, other.comparisonOptions.union(options))
    }
}
