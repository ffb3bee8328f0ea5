import DuramenModel
import Foundation

extension PredicateConversion {
    /// Returns a comparison of two texts.
    fileprivate func text<Whole: PredicateExpression>(
        _ whole: Whole, _ relation: PredicateComparison.Operator, _ part: some PredicateExpression,
        _ node: String
    ) throws(ConversionFailure) -> ConvertedNode {
        guard Whole.Output.self is any StringProtocol.Type else {
            throw .unsupported(
                node,
                "Only texts are looked for in another. Ask for each element with contains(_:).")
        }
        return .predicate(
            .comparison(
                PredicateComparison(try expression(whole), relation, try expression(part))))
    }
}

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try conversion.text(base, .contains, other, "CollectionContainsCollection")
    }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try conversion.text(base, .beginsWith, prefix, "SequenceStartsWith")
    }
}

extension PredicateExpressions.StringContainsRegex: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        let pattern = try conversion.value(regex) as? PredicateExpressions.PredicateRegex
        guard let pattern else {
            throw .unsupported(
                "StringContainsRegex",
                "The regular expression has no text. Write it as a literal: /.../.")
        }
        // The operator matches the whole text, so the pattern allows any text around, with
        // newlines.
        let whole = "[\\s\\S]*(?:\(pattern.stringRepresentation))[\\s\\S]*"
        return .predicate(
            .comparison(
                PredicateComparison(
                    try conversion.expression(subject), .matches, .constant(whole.storedValue))))
    }
}
