import Foundation

extension PredicateExpressions.ExpressionEvaluate: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        guard conversion.isConstant(expression) else {
            throw .unsupported(
                "ExpressionEvaluate",
                "The expression depends on the object. Capture one that is made before.")
        }
        let called = try conversion.value(expression)
        var inner = conversion
        for (variable, argument) in repeat (each called.variable, each input) {
            inner = try inner.with(variable, as: argument, of: conversion)
        }
        return try inner.node(called.expression)
    }
}

extension PredicateConversion {
    /// Returns this conversion with an argument as the value of a variable.
    fileprivate func with<Argument: PredicateExpression>(
        _ variable: PredicateExpressions.Variable<Argument.Output>, as argument: Argument,
        of caller: PredicateConversion
    ) throws(ConversionFailure) -> PredicateConversion {
        if caller.isConstant(argument) { return with(variable, value: try caller.value(argument)) }
        return with(variable, as: try caller.expression(argument))
    }
}
