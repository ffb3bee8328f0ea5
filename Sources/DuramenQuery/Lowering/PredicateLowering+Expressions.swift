import DuramenModel

extension PredicateLowering {
    /// Returns an expression with the names that stores know. Constant parts are evaluated.
    func expression(_ expression: FetchExpression) -> FetchExpression {
        switch expression.form {
        case .constant, .list, .selfObject, .variable, .anyKey: return expression
        case .keyPath(let names): return keyPath(names)
        case .count(let names): return count(names)
        case .property(let base, let names): return property(self.expression(base), names)
        case .subquery(let collection, let variable, let condition):
            var inner = self
            let collection = self.expression(collection)
            inner.variables[variable] = destination(of: collection)
            return .subquery(collection, variable: variable, inner.predicate(condition))
        case .conditional(let condition, let first, let second):
            let condition = predicate(condition)
            // Dropping the other branch would drop its aggregates, and with them the single group
            // that they need.
            if case .constant(let value) = condition.form, !keepsAggregates {
                return self.expression(value ? first : second)
            }
            return .conditional(condition, self.expression(first), self.expression(second))
        case .aggregate(let parts): return .list(of: parts.map { self.expression($0) })
        case .cast(let value, let type):
            let value = self.expression(value)
            guard case .constant(let constant) = value.form else { return .cast(value, type) }
            return .constant(type.value(of: constant) ?? .null)
        case .assignment(let name, let value): return .assignment(name, self.expression(value))
        case .function(let function, let arguments): return call(function, arguments)
        }
    }

    // MARK: - Paths

    private func keyPath(_ names: [String]) -> FetchExpression {
        reading(path(names)) { .keyPath($0) }
    }

    /// Returns the value of a path, or its length.
    private func reading(
        _ path: ModelPath, _ make: ([String]) -> FetchExpression
    ) -> FetchExpression {
        if path.attribute != nil, path.rest == ["length"] {
            return .function(.length, [make(path.names)])
        }
        return make(path.names + path.rest)
    }

    private func count(_ names: [String]) -> FetchExpression {
        let path = path(names)
        if path.toManys.count > 1 || !path.toManys.isEmpty && !path.endsInToMany {
            return .function(.count, [.keyPath(path.names + path.rest)])
        }
        return .count(keyPath: path.names + path.rest)
    }

    private func property(_ base: FetchExpression, _ names: [String]) -> FetchExpression {
        switch base.form {
        case .selfObject: return keyPath(names)
        case .keyPath(let first): return keyPath(first + names)
        case .variable(let variable):
            guard let entity = variables[variable] else { break }
            return reading(ModelPath(names, from: entity, in: model)) { .property(base, $0) }
        default: break
        }
        return names == ["length"] ? .function(.length, [base]) : .property(base, names)
    }

    /// Returns the entity of a collection's elements; nil if they are not objects.
    private func destination(of collection: FetchExpression) -> Entity? {
        switch collection.form {
        case .keyPath(let names): return path(names).entity
        case .property(let base, let names):
            guard let variable = base.variableName, let entity = variables[variable] else {
                return nil
            }
            return ModelPath(names, from: entity, in: model).entity
        case .subquery(let inner, _, _): return destination(of: inner)
        default: return nil
        }
    }

    // MARK: - Functions

    private func call(
        _ function: FetchFunction, _ arguments: [FetchExpression]
    ) -> FetchExpression {
        if function == .now { return .constant(.date(now)) }
        if function == .distance { return .function(function, arguments.map(place)) }
        let arguments = arguments.map { self.expression($0) }
        switch (function, arguments.first?.form) {
        case (.count, .keyPath(let names)?) where arguments.count == 1: return count(names)
        case (.noindex, _?): return arguments[0]
        case (.random, _), (.randomn, _): return .function(function, arguments)
        default: break
        }
        var values: [QueryValue] = []
        for argument in arguments {
            switch argument.form {
            case .constant(let value): values.append(.value(value))
            case .list(let list): values.append(QueryValue(list))
            default: return .function(function, arguments)
            }
        }
        guard function.arity.contains(values.count) else { return .function(function, arguments) }
        if keepsAggregates, function.isAggregate, arguments.count == 1,
            case .constant = arguments[0].form
        {
            return .function(function, arguments)
        }
        return Self.expression(function.call(values)) ?? .function(function, arguments)
    }

    private static func expression(_ value: QueryValue) -> FetchExpression? {
        switch value {
        case .value(let value): .constant(value)
        case .collection(let elements):
            .list(elements.compactMap { if case .value(let value) = $0 { value } else { nil } })
        case .dictionary: nil
        }
    }

    /// Returns a place; a composite of a latitude and a longitude becomes a list of both.
    private func place(_ expression: FetchExpression) -> FetchExpression {
        guard case .keyPath(let names) = expression.form else { return self.expression(expression) }
        let path = path(names)
        guard let composite = path.composite else { return self.expression(expression) }
        let parts = ["latitude", "longitude"].compactMap { part in
            composite.attributes.first {
                StoredText($0.name) == StoredText("\(composite.name).\(part)")
            }
        }
        guard parts.count == 2 else { return self.expression(expression) }
        return .aggregate(parts.map { .keyPath(path.names.dropLast() + [$0.name]) })
    }
}
