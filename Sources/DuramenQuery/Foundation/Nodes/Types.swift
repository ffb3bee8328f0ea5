import Foundation

extension PredicateExpressions.ForceCast: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try CastFit.check("ForceCast", from: Input.Output.self, to: Desired.self)
        return try conversion.node(input)
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(input) }
}

extension PredicateExpressions.ConditionalCast: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try CastFit.check("ConditionalCast", from: Input.Output.self, to: Desired.self)
        return try conversion.node(input)
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(input) }
}

extension PredicateExpressions.TypeCheck: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try CastFit.check("TypeCheck", from: Input.Output.self, to: Desired.self)
        return .predicate(.constant(true))
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(input) }
}

/// Checks whether every value of one type is a value of another type.
private enum CastFit {
    /// Fails if the types do not guarantee it.
    ///
    /// - Throws: ``ConversionFailure`` if the desired type is not a supertype of the source.
    static func check<Source, Desired>(
        _ node: String, from source: Source.Type, to desired: Desired.Type
    ) throws(ConversionFailure) {
        // A class is also a subtype of its superclasses.
        if source is Desired.Type || Desired.self == Source?.self { return }
        throw .unsupported(
            node,
            "Whether something is a '\(desired)' is not known by its type alone. Fetch the objects of "
                + "that sub-entity, or compare the attribute with a value of its own type.")
    }
}
