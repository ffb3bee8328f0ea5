import DuramenModel
import Foundation

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        let node = try conversion.node(sequence)
        let element = try conversion.expression(element)
        if case .range(let range) = node { return .predicate(range.contains(element)) }
        let collection = try node.expression
        if case .list(let values) = collection.form {
            return .predicate(isIn(values, element))
        }
        return .predicate(.comparison(PredicateComparison(collection, .contains, element)))
    }

    /// Returns a list comparison in which null is in a list that has null, unlike in the operator.
    private func isIn(_ values: [StoredValue], _ element: FetchExpression) -> FetchPredicate {
        let known = values.filter { !$0.isNull }
        let isKnown = FetchPredicate.comparison(PredicateComparison(element, .isIn, .list(known)))
        return known.count == values.count ? isKnown : isKnown || .not(.nonNull([element]))
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try conversion.satisfied(.any, sequence, variable, test, "SequenceContainsWhere")
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try conversion.satisfied(.all, sequence, variable, test, "SequenceAllSatisfy")
    }
}

extension PredicateExpressions.Filter: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        if conversion.isConstant(sequence) {
            throw .unsupported(
                "Filter",
                "A captured collection cannot be filtered by each object. Use contains(where:) or "
                    + "allSatisfy(_:) on it.")
        }
        let collection = try conversion.collection(sequence, "Filter")
        return .expression(try conversion.subquery(collection, variable, filter) { $0 })
    }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        throw .unsupported(
            "SequenceMaximum",
            "Objects and characters have no greatest one. Use allSatisfy(_:), or max of an attribute in a "
                + "format string: \"quakes.@max.magnitude > 6\".")
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(elements) }
}

extension PredicateExpressions.SequenceMinimum: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        throw .unsupported(
            "SequenceMinimum",
            "Objects and characters have no smallest one. Use allSatisfy(_:), or min of an attribute in a "
                + "format string: \"quakes.@min.magnitude < 6\".")
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(elements) }
}
