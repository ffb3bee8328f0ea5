import DuramenModel

/// What an expression of a Foundation predicate becomes.
indirect enum ConvertedNode {
    /// A condition.
    case predicate(FetchPredicate)
    /// Something to be compared.
    case expression(FetchExpression)
    /// A condition or expression that has a value where all of those have one, and is nil
    /// elsewhere.
    case guarded([FetchExpression], ConvertedNode)
    /// A range, which values can be in.
    case range(ConvertedRange)

    /// True or false, or nil.
    static func constant(_ value: StoredValue) -> ConvertedNode { .expression(.constant(value)) }

    /// The value, when it is known.
    var constant: StoredValue? {
        switch self {
        case .expression(let expression): expression.constantValue
        case .predicate(let predicate): predicate.constantValue.map { .boolean($0) }
        default: nil
        }
    }

    /// What has to have a value, and the rest.
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

    /// The node as something to be compared.
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
    /// Whether two nodes are equal; nil equals nil.
    func isEqual(to other: ConvertedNode) throws(ConversionFailure) -> FetchPredicate {
        if let value = other.constant, let predicate = try equality(with: value) {
            return predicate
        }
        if let value = constant, let predicate = try other.equality(with: value) {
            return predicate
        }
        return .comparison(PredicateComparison(try expression, .equal, try other.expression))
    }

    /// Whether two nodes differ.
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

    /// A shorter form of a comparison with a known value; nil when there is none.
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
