import DuramenModel
import DuramenQuery

extension PredicateCompiler {
    /// A comparison of any two expressions; the caller has checked that the evaluator accepts it.
    mutating func general(
        _ comparison: PredicateComparison, _ scope: inout SQLScope
    ) -> String? {
        if let quantifier = comparison.quantifier {
            return quantified(quantifier, comparison, &scope)
        }
        let (left, right) = (comparison.left, comparison.right)
        return attempt(&scope) { compiler, _ in compiler.inVariableScope(comparison) }
            ?? attempt(&scope) { compiler, scope in compiler.objects(comparison, &scope) }
            ?? attempt(&scope) { compiler, scope in
                switch comparison.operator {
                case .isIn: compiler.membership(of: left, in: right, comparison, &scope)
                case .contains: compiler.membership(of: right, in: left, comparison, &scope)
                default: nil
                }
            }
            ?? values(comparison, &scope)
    }

    private mutating func values(
        _ comparison: PredicateComparison, _ scope: inout SQLScope
    ) -> String? {
        if dialect.isTyped, let text = constant(comparison, &scope) { return text }
        guard let left = operand(comparison.left, &scope),
            let right = operand(comparison.right, &scope)
        else { return nil }
        return relate(left, comparison, right)
    }

    /// A comparison with a constant, by the rules for the kind of the left side, never null.
    private mutating func constant(
        _ comparison: PredicateComparison, _ scope: inout SQLScope
    ) -> String? {
        guard comparison.options.isEmpty, case .constant(let value) = comparison.right.form else {
            return nil
        }
        return attempt(&scope) { compiler, scope in
            guard let left = compiler.value(comparison.left, &scope),
                let kind = left.kind.slotKind
            else { return nil }
            return compiler.attribute(left.text, kind, comparison.operator, value, true)
        }
    }

    /// The value of an expression; several values as one boxed list.
    mutating func operand(_ expression: FetchExpression, _ scope: inout SQLScope) -> SQLValue? {
        attempt(&scope) { compiler, scope in compiler.value(expression, &scope) }
            ?? collected(expression, &scope)
    }

    /// A comparison of two values, never null.
    private func relate(
        _ left: SQLValue, _ comparison: PredicateComparison, _ right: SQLValue,
        _ quantifier: PredicateQuantifier? = nil
    ) -> String? {
        let relation = comparison.operator
        if quantifier == nil, comparison.options.isEmpty,
            left.kind.compares(with: right.kind, dialect)
        {
            switch relation {
            case .equal: return dialect.same(left.text, right.text)
            case .notEqual: return dialect.different(left.text, right.text)
            case .less: return dialect.isTrue("\(left.text) < \(right.text)")
            case .lessOrEqual: return dialect.isTrue("\(left.text) <= \(right.text)")
            case .greater: return dialect.isTrue("\(left.text) > \(right.text)")
            case .greaterOrEqual: return dialect.isTrue("\(left.text) >= \(right.text)")
            default: break
            }
        }
        let quantifier = quantifier.map { " \($0.rawValue)" } ?? ""
        let spec = SQLCall.text(
            "b \(relation.rawValue) \(comparison.options.rawValue)\(quantifier)", [left, right], nil
        )
        return dialect.call(spec, [left.argument, right.argument])
    }

    // MARK: - Objects

    /// A comparison of a value with a variable, or with a path from it.
    private mutating func inVariableScope(_ comparison: PredicateComparison) -> String? {
        var turned = comparison
        switch comparison.right.form {
        case .constant, .list: break
        default: return nil
        }
        var variable = comparison.left.variableName
        turned.left = .selfObject
        if case .property(let base, let path) = comparison.left.form {
            variable = base.variableName
            turned.left = .keyPath(path)
        }
        guard let name = variable else { return nil }
        return inVariable(name) { compiler, scope in
            compiler.plain(turned, &scope, true)
        }
    }

    /// A comparison of two objects.
    private mutating func objects(
        _ comparison: PredicateComparison, _ scope: inout SQLScope
    ) -> String? {
        guard comparison.operator == .equal || comparison.operator == .notEqual,
            let (key, entity) = object(comparison.left, &scope),
            let (otherKey, otherEntity) = object(comparison.right, &scope)
        else { return nil }
        let same =
            "(\(dialect.same(key, otherKey)) AND (\(key) IS NULL OR \(entity) = \(otherEntity)))"
        return comparison.operator == .equal ? same : "(NOT \(same))"
    }

    /// The key and the entity number of an object.
    private mutating func object(
        _ expression: FetchExpression, _ scope: inout SQLScope
    ) -> (key: String, entity: String)? {
        func own(_ scope: SQLScope) -> (String, String) {
            ("\(scope.alias).\(mapping.keyColumn)", "\(scope.alias).\(mapping.entityColumn)")
        }
        switch expression.form {
        case .selfObject: return own(scope)
        case .variable(let name): return variables[name].map(own)
        case .keyPath(let path): return toOne(path, &scope)
        case .property(let base, let path):
            guard let name = base.variableName else { return nil }
            return inVariable(name) { compiler, scope in compiler.toOne(path, &scope) }
        default: return nil
        }
    }

    mutating func toOne(
        _ path: [String], _ scope: inout SQLScope
    ) -> (key: String, entity: String)? {
        guard case .toOne(let toOne)? = target(of: path, &scope), toOne.presence == nil else {
            return nil
        }
        let base = String(mapping.number(of: toOne.destination))
        return (toOne.key, toOne.entity.map { dialect.ifNull($0, base) } ?? base)
    }

    // MARK: - Collections

    /// Whether a value is in a collection.
    private mutating func membership(
        of one: FetchExpression, in many: FetchExpression, _ comparison: PredicateComparison,
        _ scope: inout SQLScope
    ) -> String? {
        guard var rows = rows(many, &scope) else { return nil }
        var equality = comparison
        equality.operator = .equal
        if let sought = value(one, &scope), let element = element(&rows) {
            guard let same = relate(element, equality, sought) else { return nil }
            return "EXISTS (SELECT 1 FROM \(rows.from(dialect)) WHERE \(rows.condition) "
                + "AND \(element.text) IS NOT NULL AND \(same))"
        }
        guard rows.rest.isEmpty, let (key, entity) = object(one, &scope),
            let alias = rows.tables.last?.scope.alias
        else { return nil }
        return "EXISTS (SELECT 1 FROM \(rows.from(dialect)) WHERE \(rows.condition) "
            + "AND \(alias).\(mapping.keyColumn) = \(key) "
            + "AND \(alias).\(mapping.entityColumn) = \(entity))"
    }

    /// A quantified comparison that lowering did not replace with a condition on objects.
    private mutating func quantified(
        _ quantifier: PredicateQuantifier, _ comparison: PredicateComparison,
        _ scope: inout SQLScope
    ) -> String? {
        var single = comparison
        single.quantifier = nil
        guard var rows = rows(comparison.left, &scope) else {
            guard let left = value(comparison.left, &scope),
                let right = operand(comparison.right, &scope)
            else { return nil }
            return relate(left, single, right, quantifier)
        }
        guard let right = value(comparison.right, &scope), let element = element(&rows),
            let holds = relate(element, single, right)
        else { return nil }
        let wanted = quantifier == .all ? "(NOT \(holds))" : holds
        let exists =
            "EXISTS (SELECT 1 FROM \(rows.from(dialect)) WHERE \(rows.condition) AND \(wanted))"
        return quantifier == .any ? exists : "(NOT \(exists))"
    }
}
