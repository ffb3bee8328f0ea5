import Foundation

/// One of the two connectives.
private protocol Connective {
    /// Both sides.
    var sides: (any PredicateExpression, any PredicateExpression) { get }
}

private protocol AndConnective: Connective {}
private protocol OrConnective: Connective {}

extension PredicateConversion {
    /// Returns the conditions of a chain from left to right.
    ///
    /// Programs that build conditions one by one make long chains, so chains are walked without
    /// recursion.
    fileprivate func chain(
        _ connective: some Connective, _ continues: (any PredicateExpression) -> (any Connective)?
    ) throws(ConversionFailure) -> [FetchPredicate] {
        var parts: [FetchPredicate] = []
        var waiting = [connective.sides.1, connective.sides.0]
        while let next = waiting.popLast() {
            if let (left, right) = continues(next)?.sides {
                waiting += [right, left]
            } else {
                parts.append(try predicate(next))
            }
        }
        return parts
    }
}

extension PredicateExpressions.Conjunction: AndConnective {
    fileprivate var sides: (any PredicateExpression, any PredicateExpression) { (lhs, rhs) }
}

extension PredicateExpressions.Disjunction: OrConnective {
    fileprivate var sides: (any PredicateExpression, any PredicateExpression) { (lhs, rhs) }
}

extension PredicateExpressions.Conjunction: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        let parts = try conversion.chain(self) { $0 as? any AndConnective }
        return .predicate(
            .and(parts.flatMap { if case .and(let inner) = $0.form { inner } else { [$0] } }))
    }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        let parts = try conversion.chain(self) { $0 as? any OrConnective }
        return .predicate(
            .or(parts.flatMap { if case .or(let inner) = $0.form { inner } else { [$0] } }))
    }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        .predicate(.not(try conversion.predicate(wrapped)))
    }
}

extension PredicateExpressions.Conditional: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        let test = try conversion.predicate(test)
        let (first, second) = (
            try conversion.node(trueBranch), try conversion.node(falseBranch)
        )
        guard Output.self == Bool.self else {
            return .expression(.conditional(test, try first.expression, try second.expression))
        }
        return .predicate((test && (try first.predicate)) || (.not(test) && (try second.predicate)))
    }
}
