import DuramenModel

extension FetchPredicate {
    /// Returns a condition that all expressions have values.
    static func nonNull(_ expressions: [FetchExpression]) -> FetchPredicate {
        let parts = expressions.map {
            FetchPredicate.comparison(PredicateComparison($0, .notEqual, .constant(.null)))
        }
        return .all(parts)
    }

    /// Returns the predicate with a condition that none of the expressions is null.
    ///
    /// An expression needs no condition if the predicate is false for null anyway. A condition
    /// would only keep stores from using an index.
    func requiring(_ expressions: [FetchExpression]) -> FetchPredicate {
        let needed = expressions.filter { !isFalse(whereNull: $0) }
        return needed.isEmpty ? self : .nonNull(needed) && self
    }

    /// Returns whether the predicate is false if an expression is null; false if that is hard to
    /// determine.
    private func isFalse(whereNull base: FetchExpression) -> Bool {
        switch form {
        case .constant(let value): !value
        case .comparison(let comparison): comparison.isFalse(whereNull: base)
        case .quantified(.any, let keyPath, _):
            FetchExpression.keyPath(keyPath).isNull(whereNull: base)
        case .quantified, .not: false
        case .and(let parts): parts.contains { $0.isFalse(whereNull: base) }
        case .or(let parts): parts.allSatisfy { $0.isFalse(whereNull: base) }
        }
    }
}

extension PredicateComparison {
    fileprivate func isFalse(whereNull base: FetchExpression) -> Bool {
        if quantifier != nil { return false }
        switch self.operator {
        case .notEqual: return false
        case .equal:
            return left.isNonNullConstant && right.isNull(whereNull: base)
                || right.isNonNullConstant && left.isNull(whereNull: base)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return left.isNull(whereNull: base) || right.isNull(whereNull: base)
        case .between, .isIn, .contains, .beginsWith, .endsWith, .like, .matches:
            return left.isNull(whereNull: base)
        }
    }
}

extension FetchExpression {
    /// Whether the expression is a constant that is not null.
    fileprivate var isNonNullConstant: Bool {
        if case .constant(let value) = form { !value.isNull } else { false }
    }

    /// The steps of a path, and the variable at its start; nil for other expressions.
    private var path: (variable: String?, names: [String])? {
        switch form {
        case .keyPath(let names): (nil, names)
        case .variable(let name): (name, [])
        case .property(let base, let names): base.variableName.map { ($0, names) }
        default: nil
        }
    }

    /// Returns whether the expression is null, or an empty collection, if another expression is
    /// null; false if that is hard to determine.
    func isNull(whereNull base: FetchExpression) -> Bool {
        switch form {
        case .cast(let value, _): return value.isNull(whereNull: base)
        case .function(let function, let arguments):
            return function.isNullForNull && arguments.contains { $0.isNull(whereNull: base) }
        default:
            guard let path, let start = base.path, path.names.count >= start.names.count else {
                return false
            }
            return path.variable.map { StoredText($0) } == start.variable.map { StoredText($0) }
                && zip(path.names, start.names).allSatisfy { StoredText($0) == StoredText($1) }
        }
    }
}

extension FetchFunction {
    /// Whether a null argument makes the result null.
    fileprivate var isNullForNull: Bool {
        switch self {
        case .now, .random, .randomn, .noindex, .distance: false
        default: !isOfCollection
        }
    }
}
