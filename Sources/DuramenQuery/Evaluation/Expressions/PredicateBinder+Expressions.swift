import DuramenModel

extension PredicateBinder {
    typealias Typed = (expression: BoundExpression, type: ExpressionType)

    /// Binds a comparison of any two expressions.
    func general(_ comparison: PredicateComparison) throws(FetchPredicateError) -> BoundNode {
        let left = try expression(comparison.left)
        let right = try expression(comparison.right)
        var quantifier = comparison.quantifier
        if comparison.left == .anyKey, quantifier == nil { quantifier = .any }
        try ExpressionCheck(comparison, entity: entity.name)
            .check(left.type, right.type, isQuantified: quantifier != nil)
        let relation = PreparedComparison(
            comparison.operator, comparison.options, quantifier: quantifier,
            list: comparison.right.listValues)
        return .comparison(
            BoundComparison(
                left: left.expression, relation: relation, right: right.expression))
    }

    func expression(_ expression: FetchExpression) throws(FetchPredicateError) -> Typed {
        switch expression.form {
        case .constant(let value):
            if value.isNotANumber { throw notANumber }
            return (.constant(.value(value)), .value(ValueFamily(value)))
        case .list(let values):
            if values.contains(where: \.isNotANumber) { throw notANumber }
            let families = Set(values.compactMap { ValueFamily($0) })
            var type = ExpressionType(
                family: families.count == 1 ? families.first : nil, isCollection: true)
            type.isOrdered = true
            return (.constant(QueryValue(values)), type)
        case .selfObject:
            return (
                .selfObject, ExpressionType(family: .object, isCollection: false, entity: entity)
            )
        case .anyKey: return anyKey()
        case .keyPath(let names):
            let (steps, type) = try steps(names, from: entity)
            return (.path(nil, steps), type)
        case .count(let names): return try call(.count, [.keyPath(names)])
        case .variable(let name):
            guard let (place, type) = scope[name] else {
                throw FetchPredicateError(
                    .missingVariable, entity: entity.name,
                    "The variable $\(name) has no value. Give it one with "
                        + "withSubstitutionVariables(_:).")
            }
            return (.variable(place), type)
        case .property(let base, let names):
            let base = try self.expression(base)
            let (steps, type) = try steps(
                names, from: base.type.entity, isMany: base.type.isCollection ?? false)
            return (.path(base.expression, steps), type)
        case .aggregate(let parts): return try list(parts)
        case .function(let function, let arguments): return try call(function, arguments)
        case .subquery(let collection, let variable, let condition):
            return try subquery(collection, variable, condition)
        case .conditional(let condition, let first, let second):
            return try conditional(condition, first, second)
        case .cast(let value, let type):
            return (.cast(try self.expression(value).expression, type), .value(type.family))
        case .assignment(let name, let value):
            let value = try self.expression(value)
            return (.assignment(scope.add(name, value.type), value.expression), value.type)
        }
    }

    private var notANumber: FetchPredicateError {
        FetchPredicateError(
            .typeMismatch, entity: entity.name,
            "A value is NaN, which equals nothing. Compare with a number or null.")
    }

    // MARK: - Paths

    /// Returns the steps of a key path; they are names if no entity is known.
    private func steps(
        _ names: [String], from start: Entity?, isMany: Bool = false
    ) throws(FetchPredicateError) -> ([BoundStep], ExpressionType) {
        guard var current = start else { return (names.map { .named($0) }, .unknown) }
        try resolver.checkLength(of: names)
        var steps: [BoundStep] = []
        var type = ExpressionType(family: .object, isCollection: isMany, entity: current)
        for (index, name) in names.enumerated() {
            if index == names.count - 1, name == "entity", current.property(named: name) == nil {
                steps.append(.entity)
                return (steps, ExpressionType(family: .text, isCollection: type.isCollection))
            }
            let resolver = KeyPathResolver(model: model, entity: current)
            switch try resolver.property(name, of: current, names) {
            case .attribute(let attribute):
                if index < names.count - 1 {
                    throw resolver.attributeInside(name, of: current, names)
                }
                steps.append(.attribute(slot: attribute.slot, attribute.kind))
                type.family = ValueFamily(attribute.kind)
                type.entity = nil
            case .relationship(let relationship):
                if let reference = BoundReference(relationship, of: current, in: model) {
                    steps.append(.toOne(reference))
                } else {
                    steps.append(.toMany(relationship))
                    type.isCollection = true
                }
                current = model[relationship.destination]
                type.entity = current
            }
        }
        return (steps, type)
    }

    private func anyKey() -> Typed {
        let parts = entity.attributes.filter { $0.kind != .transformable }.map {
            BoundExpression.path(nil, [.attribute(slot: $0.slot, $0.kind)])
        }
        return (.list(parts), ExpressionType(isCollection: true))
    }

    // MARK: - Composed expressions

    private func list(_ parts: [FetchExpression]) throws(FetchPredicateError) -> Typed {
        var bound: [BoundExpression] = []
        var families: Set<ValueFamily?> = []
        for part in parts {
            let typed = try expression(part)
            bound.append(typed.expression)
            families.insert(typed.type.family)
        }
        families.remove(nil)
        var type = ExpressionType(
            family: families.count == 1 ? families.first ?? nil : nil, isCollection: true)
        type.isOrdered = true
        return (.list(bound), type)
    }

    private func subquery(
        _ collection: FetchExpression, _ variable: String, _ condition: FetchPredicate
    ) throws(FetchPredicateError) -> Typed {
        let source = try expression(collection)
        if source.type.isCollection == false {
            throw FetchPredicateError(
                .typeMismatch, entity: entity.name,
                "'\(collection.shape)': a subquery looks at a collection. Give it a to-many.")
        }
        var element = source.type
        element.isCollection = element.entity == nil ? nil : false
        let bound = try scope.with(variable, element) {
            (place) throws(FetchPredicateError) -> BoundExpression in
            .subquery(source.expression, place, try bind(condition))
        }
        return (bound, source.type)
    }

    private func conditional(
        _ condition: FetchPredicate, _ first: FetchExpression, _ second: FetchExpression
    ) throws(FetchPredicateError) -> Typed {
        let condition = try bind(condition)
        let first = try expression(first)
        let second = try expression(second)
        var type = first.type
        // A branch that is null fits any other branch.
        if first.type.family == nil, first.type.isCollection == false { type = second.type }
        let isNull = second.type.family == nil && second.type.isCollection == false
        if !isNull, second.type.family != type.family { type.family = nil }
        if !isNull, second.type.isCollection != type.isCollection { type.isCollection = nil }
        if second.type.entity != type.entity { type.entity = nil }
        return (.conditional(condition, first.expression, second.expression), type)
    }

    private func call(
        _ function: FetchFunction, _ arguments: [FetchExpression]
    ) throws(FetchPredicateError) -> Typed {
        guard function.arity.contains(arguments.count) else {
            throw FetchPredicateError(
                .typeMismatch, entity: entity.name,
                "'\(function.rawValue)' takes another number of arguments than \(arguments.count).")
        }
        var bound: [BoundExpression] = []
        var types: [ExpressionType] = []
        for argument in arguments {
            let typed = try expression(argument)
            bound.append(typed.expression)
            types.append(typed.type)
        }
        let check = FunctionCheck(
            function, FetchExpression.function(function, arguments), entity.name)
        return (.function(function, bound), try check.result(of: types))
    }
}

extension FetchCast {
    /// The family of the results.
    var family: ValueFamily {
        switch self {
        case .number, .decimal: .number
        case .text, .uri: .text
        case .date: .date
        case .uuid: .uuid
        case .binary: .binary
        case .objectID: .object
        }
    }
}
