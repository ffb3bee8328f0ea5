import DuramenModel

extension ResultBinder {
    /// Returns aggregates in one form. Before, `count(magnitude)` looks like the count of a
    /// to-many.
    func canonical(_ expression: FetchExpression) -> FetchExpression {
        if case .count(let names) = expression.form,
            ModelPath(names, from: entity, in: model).toManys.isEmpty
        {
            return .function(.count, [.keyPath(names)])
        }
        return expression.mapping(
            operands: { canonical($0) }, condition: { canonical($0) })
    }

    func canonical(_ predicate: FetchPredicate) -> FetchPredicate {
        predicate.mapping { comparison in
            var copy = comparison
            copy.left = canonical(comparison.left)
            copy.right = canonical(comparison.right)
            return .comparison(copy)
        }
    }

    /// Returns whether an expression has aggregates. Each part is examined once.
    func hasAggregate(_ expression: FetchExpression) throws(FetchPredicateError) -> Bool {
        for operand in expression.operands where try hasAggregate(operand) { return true }
        if case .conditional(let condition, _, _) = expression.form, try hasAggregate(condition) {
            return true
        }
        guard let (_, argument) = Self.call(expression) else { return false }
        return try bound(argument).type.isCollection != true
    }

    private func hasAggregate(_ predicate: FetchPredicate) throws(FetchPredicateError) -> Bool {
        switch predicate.form {
        case .constant, .quantified: return false
        case .comparison(let comparison):
            if try hasAggregate(comparison.left) { return true }
            return try hasAggregate(comparison.right)
        case .not(let part): return try hasAggregate(part)
        case .and(let parts), .or(let parts):
            for part in parts where try hasAggregate(part) { return true }
            return false
        }
    }

    /// Returns the call of a function that can be an aggregate; nil for other expressions.
    private static func call(
        _ expression: FetchExpression
    ) -> (function: FetchFunction, argument: FetchExpression)? {
        guard case .function(let function, let arguments) = expression.form, function.isAggregate,
            arguments.count == 1
        else { return nil }
        return (function, arguments[0])
    }

    /// Returns the function and the argument of an aggregate; nil for other expressions.
    private func aggregate(
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> (function: FetchFunction, argument: FetchExpression)? {
        guard let call = Self.call(expression) else { return nil }
        if try hasAggregate(call.argument) {
            // A mode or the distinct values are a collection, to which functions of collections
            // apply.
            if case .function(let inner, _) = call.argument.form,
                inner == .mode || inner == .distinct
            {
                return nil
            }
            throw error(
                .invalidAggregate,
                "'\(expression.shape)' is an aggregate of an "
                    + "aggregate, and a group has only one value of that. Leave one of them out.")
        }
        return try bound(call.argument).type.isCollection == true ? nil : call
    }

    // MARK: - Over groups

    /// Returns an expression on the values of a group. Each grouped path and each aggregate becomes
    /// a variable.
    mutating func overGroup(
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> FetchExpression {
        if let (function, argument) = try aggregate(expression) {
            return .variable(try variable(for: expression, function, argument))
        }
        switch expression.form {
        case .constant, .list: return expression
        case .keyPath(let names):
            if let variable = keyVariables[expression.writtenText] { return .variable(variable) }
            throw error(
                .notGrouped,
                "'\(names.joinedPath)' may differ within a group. Group by it, or use an aggregate such "
                    + "as max of it.")
        case .function(let function, let arguments):
            return .function(function, try overGroup(arguments))
        case .aggregate(let parts): return .aggregate(try overGroup(parts))
        case .cast(let value, let type): return .cast(try overGroup(value), type)
        case .conditional(let condition, let first, let second):
            let condition = try overGroup(condition)
            return .conditional(condition, try overGroup(first), try overGroup(second))
        case .variable(let name):
            throw error(
                .missingVariable,
                "The variable $\(name) does not name a column. Correct it.")
        case .selfObject, .count, .property, .subquery, .assignment, .anyKey:
            throw error(
                .notGrouped,
                "'\(expression.shape)' is asked of an object, and a "
                    + "group has many. Use grouped key paths and aggregates only.")
        }
    }

    private mutating func overGroup(
        _ parts: [FetchExpression]
    ) throws(FetchPredicateError) -> [FetchExpression] {
        var result: [FetchExpression] = []
        for part in parts { result.append(try overGroup(part)) }
        return result
    }

    /// Returns a condition on the values of a group.
    mutating func overGroup(
        _ predicate: FetchPredicate
    ) throws(FetchPredicateError) -> FetchPredicate {
        switch predicate.form {
        case .constant: return predicate
        case .not(let part): return .not(try overGroup(part))
        case .and(let parts): return .and(try overGroup(parts))
        case .or(let parts): return .or(try overGroup(parts))
        case .comparison(let comparison):
            var copy = comparison
            copy.left = try overGroup(comparison.left)
            copy.right = try overGroup(comparison.right)
            return .comparison(copy)
        case .quantified(_, let keyPath, _):
            throw error(
                .notGrouped,
                "'\(keyPath.joinedPath)' refers to objects that may differ within a group. Put the "
                    + "condition into the predicate.")
        }
    }

    private mutating func overGroup(
        _ parts: [FetchPredicate]
    ) throws(FetchPredicateError) -> [FetchPredicate] {
        var result: [FetchPredicate] = []
        for part in parts { result.append(try overGroup(part)) }
        return result
    }

    private mutating func variable(
        for expression: FetchExpression, _ function: FetchFunction, _ argument: FetchExpression
    ) throws(FetchPredicateError) -> String {
        if let known = aggregateVariables[expression.writtenText] { return known }
        let operand = try bound(argument)
        if operand.type.family == .encoded, function != .count {
            throw error(
                .typeMismatch,
                "'\(expression.shape)': encoded values do not "
                    + "compare. Count them, or name another attribute.")
        }
        let name = newVariable(for: expression)
        // This checks the argument's type.
        types.append((name, try bound(expression).type))
        aggregateVariables[expression.writtenText] = name
        if argument != .selfObject { rowExpressions.append(argument) }
        aggregates.append(
            ResultAggregate(
                variable: name, function: function,
                operandExpression: argument == .selfObject ? nil : argument,
                operand: argument == .selfObject ? nil : operand))
        return name
    }
}
