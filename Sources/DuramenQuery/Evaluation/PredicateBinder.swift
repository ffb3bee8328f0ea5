import DuramenModel

/// Resolves names to slots, and checks that values can be compared.
struct PredicateBinder {
    let model: ManagedObjectModel
    let entity: Entity
    let scope: VariableScope

    var resolver: KeyPathResolver { KeyPathResolver(model: model, entity: entity) }

    /// Binds a predicate. Recursion is safe: ``PredicateComplexity`` has limited the depth.
    func bind(_ predicate: FetchPredicate) throws(FetchPredicateError) -> BoundNode {
        switch predicate.form {
        case .constant(let value): return .constant(value)
        case .comparison(let comparison): return try bind(comparison)
        case .not(let inner): return .not(try bind(inner))
        case .and(let parts):
            if parts.isEmpty { return .constant(true) }
            return conjunction(try bind(parts))
        case .or(let parts):
            if parts.isEmpty { return .constant(false) }
            return .or(try bind(parts))
        case .quantified(let quantifier, let keyPath, let inner):
            let path = try resolver.resolve(keyPath)
            guard case .toMany(let relationship) = path.last else {
                throw FetchPredicateError(
                    .invalidKeyPath, entity: entity.name,
                    "\(quantifier.rawValue.uppercased()) \(keyPath.joinedPath): the last step is not "
                        + "a to-many. Compare the key path itself.")
            }
            let binder = PredicateBinder(
                model: model, entity: model[relationship.destination], scope: scope)
            return .quantified(
                quantifier, path.steps, relationship, simplified(try binder.bind(inner)))
        }
    }

    private func bind(_ parts: [FetchPredicate]) throws(FetchPredicateError) -> [BoundNode] {
        var nodes: [BoundNode] = []
        for part in parts { nodes.append(try bind(part)) }
        return nodes
    }

    /// Returns a node that evaluates single rows.
    private func simplified(_ node: BoundNode) -> BoundNode {
        node.rowTest.map { .local(.closure($0)) } ?? node
    }

    /// Joins conditions; two bounds of one number become a range.
    private func conjunction(_ parts: [BoundNode]) -> BoundNode {
        var joined: [BoundNode] = []
        for part in parts {
            if case .local(let next) = part, case .local(let last)? = joined.last,
                let both = last.joined(with: next)
            {
                joined[joined.count - 1] = .local(both)
            } else {
                joined.append(part)
            }
        }
        return joined.count == 1 ? joined[0] : .and(joined)
    }

    // MARK: - Comparisons

    private func bind(_ comparison: PredicateComparison) throws(FetchPredicateError) -> BoundNode {
        if comparison.operator == .matches {
            try ExpressionCheck(comparison, entity: entity.name).pattern()
        }
        if !isPlain(comparison) { return try general(comparison) }
        let check = ComparisonCheck(comparison, entity: entity)
        let law = ComparisonLaw(operator: comparison.operator, options: comparison.options)
        if case .keyPath(let names) = comparison.left.form, comparison.operator == .contains {
            let path = try resolver.resolve(names)
            if case .toMany(let relationship) = path.last {
                let object = try operand(comparison.right, check)
                try check.containsObject(object)
                return .containsObject(path.steps, relationship, object)
            }
        }
        let left = try operand(comparison.left, check)
        let right = try operand(comparison.right, check)
        try check.check(left, right)
        switch (left, right) {
        case (.constant, .attribute), (.constant, .reference), (.constant, .selfObject):
            if let turned = comparison.operator.turned {
                let law = ComparisonLaw(operator: turned, options: comparison.options)
                return node(right, law, left)
            }
        default: break
        }
        return node(left, law, right)
    }

    /// Returns the fastest form of a comparison.
    private func node(
        _ left: BoundOperand, _ law: ComparisonLaw, _ right: BoundOperand
    ) -> BoundNode {
        let isEqual = law.operator == .equal
        switch (left, right) {
        case (.attribute(let steps, let slot, let kind), .constant(let value)):
            let test = SlotTests(slot: slot, kind: kind).test(law, value)
            return reading(steps, test, whenNull: law.holds(.null, value))
        case (.attribute(let steps, let slot, let kind), .list(let list)):
            let test = SlotTests(slot: slot, kind: kind).test(law, list: list)
            return reading(steps, test, whenNull: false)
        case (.attribute(let a, let first, let kind), .attribute(let b, let second, let other))
        where a.isEmpty && b.isEmpty:
            return .local(
                .closure { row, _, _ in law.holds(row.value(first, kind), row.value(second, other))
                })
        case (.reference(let steps, let reference), .constant(let value)):
            let test = ObjectTests.reference(reference, isEqual: isEqual, to: value, in: model)
            return reading(steps, .closure(test), whenNull: law.holds(.null, value))
        case (.reference(let steps, let reference), .list(let list)):
            let test = ObjectTests.reference(reference, isIn: list, in: model)
            return reading(steps, .closure(test), whenNull: false)
        case (.selfObject, .constant(let value)) where law.operator.isOrder:
            return .local(.closure(ObjectTests.selfObject(law, value)))
        case (.selfObject, .constant(let value)):
            return .local(.closure(ObjectTests.selfObject(isEqual: isEqual, to: value)))
        case (.selfObject, .list(let list)):
            return .local(.closure(ObjectTests.selfObject(isIn: list)))
        case (_, .list(let list)) where law.operator == .isIn:
            return .member(left, MemberList(list, law.options))
        default: return .operands(left, law, right)
        }
    }

    private func reading(
        _ steps: [BoundReference], _ test: LocalTest, whenNull: Bool
    ) -> BoundNode {
        steps.isEmpty ? .local(test) : .through(steps, test.rowTest, whenNull: whenNull)
    }

    /// Returns whether both sides are a value, a list, or a path without to-manys.
    private func isPlain(_ comparison: PredicateComparison) -> Bool {
        if comparison.quantifier != nil { return false }
        // A text may be searched for in another text with the sides exchanged.
        if comparison.operator == .isIn, case .constant = comparison.right.form { return false }
        if comparison.operator == .matches { return isPlainPattern(comparison) }
        return isPlain(comparison.left, isLeft: true, of: comparison)
            && isPlain(comparison.right, isLeft: false, of: comparison)
    }

    private func isPlainPattern(_ comparison: PredicateComparison) -> Bool {
        guard case .constant(.text) = comparison.right.form else { return false }
        return isPlain(comparison.left, isLeft: true, of: comparison)
    }

    private func isPlain(
        _ expression: FetchExpression, isLeft: Bool, of comparison: PredicateComparison
    ) -> Bool {
        switch expression.form {
        case .constant, .list, .selfObject, .count: return true
        case .keyPath(let names):
            let path = ModelPath(names, from: entity, in: model)
            if path.names.last == "entity", path.attribute == nil, path.entity == nil {
                return false
            }
            if path.toManys.isEmpty { return true }
            return isLeft && comparison.operator == .contains && path.toManys.count == 1
                && path.endsInToMany
        default: return false
        }
    }

    // MARK: - Operands

    private func operand(
        _ expression: FetchExpression, _ check: ComparisonCheck
    ) throws(FetchPredicateError) -> BoundOperand {
        switch expression.form {
        case .constant(let value):
            try check.constant(value)
            return .constant(value)
        case .list(let values):
            for value in values { try check.constant(value) }
            return .list(values)
        case .selfObject: return .selfObject
        case .keyPath(let names):
            let path = try resolver.resolve(names)
            switch path.last {
            case .attribute(let attribute):
                return .attribute(path.steps, slot: attribute.slot, attribute.kind)
            case .toOne(let reference): return .reference(path.steps, reference)
            case .toMany:
                throw FetchPredicateError(
                    .invalidKeyPath, entity: entity.name,
                    "'\(names.joinedPath)' is a to-many, which has no single value. Use any, all or "
                        + "none, its count, or contains with an object.")
            }
        case .count(let names):
            let path = try resolver.resolve(names)
            guard case .toMany(let relationship) = path.last else {
                throw FetchPredicateError(
                    .invalidKeyPath, entity: entity.name,
                    "'\(names.joinedPath).@count': the last step is not a to-many. "
                        + "Count a to-many relationship.")
            }
            return .count(path.steps, relationship)
        default:
            // The expressions of plain comparisons are handled above.
            preconditionFailure("Duramen: '\(expression)' is bound as an expression.")
        }
    }
}

extension PredicateComparison.Operator {
    /// The equivalent operator with the sides exchanged; nil if there is none.
    fileprivate var turned: Self? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }
}
