import DuramenModel

/// The result of converting an expression of a Foundation predicate.
indirect enum ConvertedNode {
    /// A condition.
    case predicate(FetchPredicate)
    /// A value that can be compared.
    case expression(FetchExpression)
    /// A condition or expression that is nil unless all of the given expressions have values.
    case guarded([FetchExpression], ConvertedNode)
    /// A range, which values can be in.
    case range(ConvertedRange)

    /// Returns a constant: true, false or nil.
    static func constant(_ value: StoredValue) -> ConvertedNode { .expression(.constant(value)) }

    /// The constant value; nil if it is not known.
    var constant: StoredValue? {
        switch self {
        case .expression(let expression): expression.constantValue
        case .predicate(let predicate): predicate.constantValue.map { .boolean($0) }
        default: nil
        }
    }

    /// The expressions that must have values, and the rest.
    var parts: (bases: [FetchExpression], value: ConvertedNode) {
        if case .guarded(let bases, let value) = self { (bases, value) } else { ([], self) }
    }

    /// The node as a condition; nil is false.
    var predicate: FetchPredicate {
        get throws(ConversionFailure) {
            switch self {
            case .predicate(let predicate): return predicate
            case .expression(let expression):
                if case .boolean(let value)? = expression.constantValue { return .constant(value) }
                return .comparison(
                    PredicateComparison(expression, .equal, .constant(.boolean(true))))
            case .guarded(let bases, let value): return try value.predicate.requiring(bases)
            case .range: throw Self.misplacedRange
            }
        }
    }

    /// The node as a value that can be compared.
    var expression: FetchExpression {
        get throws(ConversionFailure) {
            switch self {
            case .predicate(let predicate):
                if let value = predicate.constantValue { return .constant(.boolean(value)) }
                return .conditional(
                    predicate, .constant(.boolean(true)), .constant(.boolean(false)))
            case .expression(let expression): return expression
            case .guarded(let bases, let value):
                return .conditional(.nonNull(bases), try value.expression, .constant(.null))
            case .range: throw Self.misplacedRange
            }
        }
    }

    private static var misplacedRange: ConversionFailure {
        .unsupported(
            "Range", "A range can only be asked whether it contains a value. Use contains(_:).")
    }
}

extension ConvertedNode {
    /// Returns a condition that two nodes are equal; nil equals nil.
    func isEqual(to other: ConvertedNode) throws(ConversionFailure) -> FetchPredicate {
        if let value = other.constant, let predicate = try equality(with: value) {
            return predicate
        }
        if let value = constant, let predicate = try other.equality(with: value) {
            return predicate
        }
        return .comparison(PredicateComparison(try expression, .equal, try other.expression))
    }

    /// Returns a condition that two nodes differ.
    func isUnequal(to other: ConvertedNode) throws(ConversionFailure) -> FetchPredicate {
        let equality = try isEqual(to: other)
        switch equality.form {
        case .comparison(var comparison) where comparison.operator == .equal:
            comparison.operator = .notEqual
            return .comparison(comparison)
        case .not(let predicate): return predicate
        case .constant(let value): return .constant(!value)
        default: return .not(equality)
        }
    }

    /// Returns a shorter form of a comparison with a known value; nil if there is none.
    private func equality(with value: StoredValue) throws(ConversionFailure) -> FetchPredicate? {
        switch (self, value) {
        case (.predicate(let predicate), .boolean(let isTrue)):
            return isTrue ? predicate : !predicate
        case (.guarded(let bases, _), .null): return .not(.nonNull(bases))
        case (.guarded(let bases, let inner), _):
            return try inner.isEqual(to: .constant(value)).requiring(bases)
        default: return nil
        }
    }
}
