import DuramenModel
import Foundation

/// Converts a predicate to the few forms that stores and the evaluator support.
///
/// - Each element of a composite gets one name, as stores know it. A comparison of a composite with
///   nil becomes a test of all its elements.
/// - `ANY a.b == x`, `x IN a.b` and counted subqueries become
///   ``FetchPredicate/quantified(_:keyPath:_:)``.
/// - `tags == nil` for a to-many becomes a test for a count of 0.
/// - Parts that do not depend on an object are evaluated.
///
/// Parts that do not fit the model are left unchanged; the binder rejects them. Recursion is safe
/// here: ``PredicateComplexity`` has limited the depth.
struct PredicateLowering {
    let model: ManagedObjectModel
    let entity: Entity
    /// The value of `now()`.
    let now: Date
    /// The entities of the variables of enclosing subqueries; variables for values have none.
    var variables: [String: Entity] = [:]
    /// Whether an aggregate of one value is left unchanged. In a group, it aggregates one value of
    /// each row.
    var keepsAggregates = false

    init(model: ManagedObjectModel, entity: Entity, now: Date = Date()) {
        self.model = model
        self.entity = entity
        self.now = now
    }

    func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        switch predicate.form {
        case .constant: return predicate
        case .comparison(let comparison): return self.comparison(comparison)
        case .not(let part): return .not(self.predicate(part))
        case .and(let parts): return .and(parts.map { self.predicate($0) })
        case .or(let parts): return .or(parts.map { self.predicate($0) })
        case .quantified(let quantifier, let keyPath, let part):
            let path = path(keyPath)
            let inner = path.entity.map { of($0).predicate(part) } ?? part
            if path.endsInToMany { return quantified(quantifier, path.segments.toManys, inner) }
            return .quantified(quantifier, keyPath: path.names + path.rest, inner)
        }
    }

    /// Returns the lowering for the objects of another entity.
    private func of(_ entity: Entity) -> PredicateLowering {
        var copy = PredicateLowering(model: model, entity: entity, now: now)
        copy.variables = variables
        copy.keepsAggregates = keepsAggregates
        return copy
    }

    func path(_ names: [String]) -> ModelPath { ModelPath(names, from: entity, in: model) }

    /// Returns a condition on the objects of nested to-manys.
    func quantified(
        _ quantifier: PredicateQuantifier, _ toManys: [[String]], _ condition: FetchPredicate
    ) -> FetchPredicate {
        var result = condition
        for (index, path) in toManys.enumerated().reversed() {
            // None of the nested objects: no object of the first to-many has any of the next.
            let own = quantifier == .none && index > 0 ? PredicateQuantifier.any : quantifier
            result = .quantified(own, keyPath: path, result)
        }
        return result
    }

    // MARK: - Comparisons

    private func comparison(_ written: PredicateComparison) -> FetchPredicate {
        var comparison = written
        // Stores use an index only if no other options are set.
        comparison.options = comparison.options.effective(for: comparison.operator)
        if comparison.quantifier != nil { return quantified(comparison) }
        if let test = nilTest(comparison.left, comparison.right, comparison)
            ?? nilTest(comparison.right, comparison.left, comparison)
            ?? emptyTest(comparison.left, comparison.right, comparison)
            ?? emptyTest(comparison.right, comparison.left, comparison)
            ?? countedSubquery(comparison)
        {
            return test
        }
        var lowered = comparison
        lowered.left = expression(comparison.left)
        lowered.right = expression(comparison.right)
        return membership(lowered) ?? .comparison(lowered)
    }

    /// Lowers ANY, ALL or NONE before a comparison.
    private func quantified(_ comparison: PredicateComparison) -> FetchPredicate {
        var single = comparison
        single.quantifier = nil
        let quantifier = comparison.quantifier ?? .any
        // The right side would be evaluated for the destination.
        if comparison.right.isValue, let path = toManyPath(comparison.left) {
            let (toManys, last) = path.segments
            var end = last
            if case .count = comparison.left.form {
                // The last to-many is counted, not quantified.
                guard toManys.count > 1 else { return .comparison(comparison) }
                end = toManys[toManys.count - 1]
                single.left = .count(keyPath: end)
                return self.quantified(
                    quantifier, toManys.dropLast(), inner(single, behind: toManys.dropLast()))
            }
            single.left = end.isEmpty ? .selfObject : .keyPath(end)
            return self.quantified(quantifier, toManys, inner(single, behind: toManys))
        }
        var lowered = comparison
        lowered.left = expression(comparison.left)
        lowered.right = expression(comparison.right)
        return .comparison(lowered)
    }

    /// Lowers a comparison for the objects of some to-manys.
    private func inner(
        _ comparison: PredicateComparison, behind toManys: some Sequence<[String]>
    ) -> FetchPredicate {
        guard let destination = path(toManys.flatMap { $0 }).entity else {
            return .comparison(comparison)
        }
        return of(destination).comparison(comparison)
    }

    private func toManyPath(_ expression: FetchExpression) -> ModelPath? {
        switch expression.form {
        case .keyPath(let names), .count(let names):
            let path = path(names)
            return path.toManys.isEmpty ? nil : path
        default: return nil
        }
    }

    /// Lowers `x IN tags.name` and `tags.name CONTAINS x`, which test one of many values, and
    /// `'text' IN name`.
    private func membership(_ comparison: PredicateComparison) -> FetchPredicate? {
        let (many, one): (FetchExpression, FetchExpression)
        switch comparison.operator {
        case .isIn: (many, one) = (comparison.right, comparison.left)
        case .contains: (many, one) = (comparison.left, comparison.right)
        default: return nil
        }
        guard case .keyPath(let names) = many.form else { return nil }
        let path = path(names)
        if path.toManys.isEmpty {
            guard comparison.operator == .isIn else { return nil }
            let options = comparison.options.effective(for: .contains)
            return .comparison(PredicateComparison(many, .contains, one, options: options))
        }
        guard case .constant(let value) = one.form else { return nil }
        let (toManys, last) = path.segments
        if last.isEmpty, toManys.count == 1 {
            return .comparison(
                PredicateComparison(many, .contains, one, options: comparison.options))
        }
        if value.isNull { return .constant(false) }
        let end = last.isEmpty ? FetchExpression.selfObject : .keyPath(last)
        return quantified(
            .any, toManys,
            inner(
                PredicateComparison(end, .equal, one, options: comparison.options), behind: toManys)
        )
    }

    /// Lowers a test whether a subquery finds an element, without counting.
    private func countedSubquery(_ comparison: PredicateComparison) -> FetchPredicate? {
        guard
            case .function(.count, let arguments) = comparison.left.form, arguments.count == 1,
            case .subquery(let collection, let variable, let condition) = arguments[0].form,
            let names = collection.keyPathNames,
            case .constant(.integer(let number)) = comparison.right.form,
            comparison.options.isEmpty,
            let quantifier = comparison.operator.quantifier(ofCountAgainst: number)
        else { return nil }
        let path = path(names)
        guard path.endsInToMany,
            let inner = SubqueryCondition(variable: variable).predicate(condition),
            let destination = path.entity
        else { return nil }
        return quantified(quantifier, path.segments.toManys, of(destination).predicate(inner))
    }

    /// Lowers `tags == nil` over a to-many to a test for a count of 0.
    private func emptyTest(
        _ toMany: FetchExpression, _ other: FetchExpression, _ comparison: PredicateComparison
    ) -> FetchPredicate? {
        guard case .constant(.null) = other.form, comparison.options.isEmpty,
            comparison.operator == .equal || comparison.operator == .notEqual,
            let names = toMany.keyPathNames, path(names).endsInToMany
        else { return nil }
        return .comparison(
            PredicateComparison(
                expression(.count(keyPath: names)), comparison.operator, .constant(.integer(0))))
    }

    /// Lowers a test whether a composite has a value, which means that some element has one.
    private func nilTest(
        _ composite: FetchExpression, _ other: FetchExpression, _ comparison: PredicateComparison
    ) -> FetchPredicate? {
        let relation = comparison.operator
        guard model.hasComposites, case .keyPath(let names) = composite.form,
            case .constant(.null) = other.form, relation == .equal || relation == .notEqual,
            comparison.options.isEmpty
        else { return nil }
        let path = path(names)
        guard let found = path.composite else { return nil }
        let tests = found.attributes.map { attribute in
            FetchPredicate.comparison(
                PredicateComparison(
                    .keyPath(path.names.dropLast() + [attribute.name]), relation, .constant(.null)))
        }
        return relation == .equal ? .and(tests) : .or(tests)
    }
}

extension PredicateComparison.Operator {
    /// Returns the quantifier that is equivalent to comparing a number of matches; nil if none is.
    fileprivate func quantifier(ofCountAgainst number: Int64) -> PredicateQuantifier? {
        switch (self, number) {
        case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): .any
        case (.equal, 0), (.lessOrEqual, 0), (.less, 1): PredicateQuantifier.none
        default: nil
        }
    }
}

extension FetchExpression {
    /// Whether the expression has one value for every object.
    var isValue: Bool {
        switch form {
        case .constant, .list: true
        default: false
        }
    }
}
