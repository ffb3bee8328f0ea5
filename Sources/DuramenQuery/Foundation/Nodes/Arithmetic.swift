import DuramenModel
import Foundation

extension PredicateConversion {
    /// Returns a function of two expressions.
    fileprivate func function(
        _ function: FetchFunction, _ left: some PredicateExpression,
        _ right: some PredicateExpression
    ) throws(ConversionFailure) -> ConvertedNode {
        .expression(.function(function, [try expression(left), try expression(right)]))
    }
}

extension PredicateExpressions.Arithmetic: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        switch op {
        case .add: return try conversion.function(.add, lhs, rhs)
        case .subtract: return try conversion.function(.subtract, lhs, rhs)
        case .multiply: return try conversion.function(.multiply, lhs, rhs)
        @unknown default:
            throw .unsupported("Arithmetic", "The operator is unknown. Use +, -, *, / or %.")
        }
    }
}

extension PredicateExpressions.IntDivision: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try conversion.function(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.FloatDivision: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try conversion.function(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try conversion.function(.modulus, lhs, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        let node = try conversion.node(wrapped)
        // Foundation represents a negative number as a negation.
        if let value = node.constant { return .constant(FetchFunction.negate.call([value])) }
        return .expression(.function(.negate, [try node.expression]))
    }
}
