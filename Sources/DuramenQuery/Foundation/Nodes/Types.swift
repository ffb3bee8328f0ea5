import Foundation

extension PredicateExpressions.ForceCast: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        guard CastFit(from: Input.Output.self, to: Desired.self).isCertain else {
            throw .cast("ForceCast", to: Desired.self)
        }
        return try conversion.node(input)
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(input) }
}

extension PredicateExpressions.ConditionalCast: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        guard CastFit(from: Input.Output.self, to: Desired.self).isCertain else {
            throw .cast("ConditionalCast", to: Desired.self)
        }
        return try conversion.node(input)
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(input) }
}

extension PredicateExpressions.TypeCheck: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        guard CastFit(from: Input.Output.self, to: Desired.self).isCertain else {
            throw .cast("TypeCheck", to: Desired.self)
        }
        return .predicate(.constant(true))
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(input) }
}

/// Whether every value of one type is one of another.
private struct CastFit {
    let isCertain: Bool

    init<Source, Desired>(from source: Source.Type, to desired: Desired.Type) {
        // A class is a type of its superclasses too.
        isCertain = source is Desired.Type || Desired.self == Source?.self
    }
}

extension ConversionFailure {
    fileprivate static func cast(_ node: String, to type: Any.Type) -> ConversionFailure {
        .unsupported(
            node,
            "Whether something is a '\(type)' is not known by its type alone. Fetch the objects of that "
                + "sub-entity, or compare the attribute with a value of its own type.")
    }
}
