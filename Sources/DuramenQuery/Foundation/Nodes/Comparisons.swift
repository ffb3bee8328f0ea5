import Foundation

extension PredicateExpressions.Equal: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        .predicate(try conversion.node(lhs).isEqual(to: conversion.node(rhs)))
    }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        .predicate(try conversion.node(lhs).isUnequal(to: conversion.node(rhs)))
    }
}

extension PredicateExpressions.Comparison: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        let relation: PredicateComparison.Operator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default:
                throw .unsupported("Comparison", "The operator is unknown. Use <, <=, > or >=.")
            }
        return .predicate(
            .comparison(
                PredicateComparison(
                    try conversion.expression(lhs), relation, try conversion.expression(rhs))))
    }
}
