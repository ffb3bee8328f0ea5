import DuramenModel
import Foundation

extension PredicateExpressions.Variable: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        .expression(try conversion.meaning(of: key))
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(key) }
}

extension PredicateExpressions.Value: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try CapturedValue.node(value, of: self)
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { true }
}

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        .constant(.null)
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { true }
}
