import Foundation

extension PredicateExpressions.CollectionIndexSubscript: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        guard conversion.isConstant(wrapped), let place = index as? any ConvertibleExpression,
            Wrapped.Output.self is any CapturedArray.Type
        else {
            throw .unsupported(
                "CollectionIndexSubscript",
                "The elements of a to-many and the characters of a text stand at no places that stores know. "
                    + "Use contains(where:), or contains(_:) on text.")
        }
        return .expression(
            .function(
                .element, [try conversion.expression(wrapped), try conversion.expression(place)]))
    }

    func isConstant(in conversion: PredicateConversion) -> Bool {
        conversion.isConstant(wrapped) && conversion.isConstant(index)
    }
}

/// A collection whose indices begin at 0, and which can become a list.
private protocol CapturedArray {}

extension Array: CapturedArray {}

extension PredicateExpressions.CollectionRangeSubscript: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        throw .unsupported(
            "CollectionRangeSubscript",
            "Stores take no parts of collections. Use starts(with:) or contains(_:) on text.")
    }

    func isConstant(in conversion: PredicateConversion) -> Bool {
        conversion.isConstant(wrapped) && conversion.isConstant(range)
    }
}

extension PredicateExpressions.DictionaryKeySubscript: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        throw .dictionary("DictionaryKeySubscript")
    }

    func isConstant(in conversion: PredicateConversion) -> Bool {
        conversion.isConstant(wrapped) && conversion.isConstant(key)
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        throw .dictionary("DictionaryKeyDefaultValueSubscript")
    }

    func isConstant(in conversion: PredicateConversion) -> Bool {
        conversion.isConstant(wrapped) && conversion.isConstant(key)
            && conversion.isConstant(self.default)
    }
}

extension ConversionFailure {
    fileprivate static func dictionary(_ node: String) -> ConversionFailure {
        .unsupported(
            node,
            "Stores know no dictionaries. Look a captured one up before the predicate is made, and capture "
                + "the value, or an array of the keys that count.")
    }
}
