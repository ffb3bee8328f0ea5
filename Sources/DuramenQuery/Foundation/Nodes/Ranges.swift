import Foundation

extension PredicateExpressions.Range: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        .range(
            ConvertedRange(
                lower: try conversion.expression(lower), upper: try conversion.expression(upper),
                includesUpper: false))
    }
}

extension PredicateExpressions.ClosedRange: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        .range(
            ConvertedRange(
                lower: try conversion.expression(lower), upper: try conversion.expression(upper),
                includesUpper: true))
    }
}

extension PredicateExpressions.RangeExpressionContains: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        guard case .range(let range) = try conversion.node(range) else {
            throw .unsupported(
                "RangeExpressionContains",
                "The range is of a type of its own. Use one that ... or ..< makes.")
        }
        return .predicate(range.contains(try conversion.expression(element)))
    }
}
