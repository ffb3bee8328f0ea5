import Foundation

extension PredicateExpressions.Conjunction: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        .predicate(try conversion.predicate(lhs) && conversion.predicate(rhs))
    }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        .predicate(try conversion.predicate(lhs) || conversion.predicate(rhs))
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
