import DuramenModel
import Foundation

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
    // Optional chaining: the transform applies to the wrapped value.
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        if conversion.isConstant(wrapped) {
            guard let value = try conversion.value(wrapped) else { return .constant(.null) }
            return try conversion.with(variable, value: value).node(transform)
        }
        let (outer, base) = try conversion.node(wrapped).parts
        let start = try base.expression
        let (inner, result) = try conversion.with(variable, as: start).node(transform).parts
        var bases = outer + [start] + inner
        if case .expression(let expression) = result {
            if inner.isEmpty, expression.isNull(whereNull: start) {
                // A path, which is null already if a step is null.
                if outer.isEmpty { return result }
                bases = outer + [expression]
            } else if RHS.Output.self is any ExpressibleByNilLiteral.Type {
                bases.append(expression)
            }
        }
        return .guarded(bases, result)
    }
}

extension PredicateExpressions.ForcedUnwrap: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        try conversion.node(inner)
    }

    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(inner) }
}

extension PredicateExpressions.NilCoalesce: ConvertibleExpression {
    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        let value = try conversion.node(lhs)
        if let constant = value.constant {
            return constant.isNull ? try conversion.node(rhs) : value
        }
        let other = try conversion.node(rhs)
        if Output.self == Bool.self { return .predicate(try condition(value, other)) }
        let (bases, inner) = value.parts
        let expression = try inner.expression
        return .expression(
            .conditional(
                .nonNull(bases.isEmpty ? [expression] : bases), expression, try other.expression))
    }

    func isConstant(in conversion: PredicateConversion) -> Bool {
        conversion.isConstant(lhs) && conversion.isConstant(rhs)
    }

    /// Returns a condition that may be nil, with the value that replaces nil.
    private func condition(
        _ value: ConvertedNode, _ other: ConvertedNode
    ) throws(ConversionFailure) -> FetchPredicate {
        switch (other.constant, value) {
        case (.boolean(false)?, _): return try value.predicate
        case (.boolean(true)?, .expression):
            return try value.isUnequal(to: .constant(.boolean(false)))
        case (.boolean(true)?, .guarded(let bases, let inner)):
            return .not(.nonNull(bases)) || (try inner.predicate)
        case (_, .guarded(let bases, _)):
            return try value.predicate || (.not(.nonNull(bases)) && (try other.predicate))
        case (_, .expression(let expression)):
            return try value.predicate || (.not(.nonNull([expression])) && (try other.predicate))
        default: return try value.predicate
        }
    }
}
