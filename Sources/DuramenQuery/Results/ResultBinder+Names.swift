import DuramenModel

// Conditions on groups and sort descriptors can refer to columns by their names.
extension ResultBinder {
    /// Replaces the names of columns by their expressions, and lowers the rest.
    mutating func lowerHaving() throws(FetchPredicateError) {
        guard let having = query.having else { return }
        try PredicateComplexity.check(having, entity: entity)
        let named = having.mapping { comparison in
            var copy = comparison
            copy.left = withoutNames(comparison.left)
            copy.right = withoutNames(comparison.right)
            return .comparison(copy)
        }
        try PredicateComplexity.check(named, entity: entity)
        var lowering = PredicateLowering(model: model, entity: entity)
        lowering.keepsAggregates = true
        query.having = canonical(lowering.predicate(named))
    }

    private func withoutNames(_ expression: FetchExpression) -> FetchExpression {
        switch expression.form {
        case .variable(let name): return column(named: name)?.expression ?? expression
        case .keyPath(let names):
            return column(named: names.joined(separator: "."))?.expression ?? expression
        // Within an aggregate, names refer to a row.
        case .function(let function, let arguments)
        where function.isAggregate && arguments.count == 1:
            return expression
        default:
            return expression.mapping(
                operands: { withoutNames($0) },
                condition: { condition in
                    condition.mapping { comparison in
                        var copy = comparison
                        copy.left = withoutNames(comparison.left)
                        copy.right = withoutNames(comparison.right)
                        return .comparison(copy)
                    }
                })
        }
    }

    private func column(named name: String) -> ResultColumn? {
        let sought = StoredText(name)
        return query.columns.first { StoredText($0.name) == sought }
    }

    // MARK: - Sorting

    /// Returns the sort keys of the query.
    ///
    /// - Parameters:
    ///   - columns: The columns of the results.
    ///   - allowsOthers: Whether results may be sorted by attributes that are not columns.
    mutating func sortKeys(
        _ columns: [ResultPart], allowsOthers: Bool
    ) throws(FetchPredicateError) -> [ResultSortKey] {
        var sortKeys: [ResultSortKey] = []
        for place in query.sortDescriptors.indices {
            let descriptor = query.sortDescriptors[place]
            let name = StoredText(descriptor.keyPath.joined(separator: "."))
            let part: ResultPart
            if let column = query.columns.firstIndex(where: { StoredText($0.name) == name }) {
                part = columns[column]
                query.sortDescriptors[place].keyPath = [query.columns[column].name]
                try check(descriptor, try type(of: part))
            } else {
                part = try partOfOther(descriptor, place, isAllowed: allowsOthers)
            }
            sortKeys.append(
                ResultSortKey(
                    part: part, isAscending: descriptor.isAscending,
                    options: descriptor.comparison.options))
        }
        return sortKeys
    }

    private mutating func partOfOther(
        _ descriptor: FetchSortDescriptor, _ place: Int, isAllowed: Bool
    ) throws(FetchPredicateError) -> ResultPart {
        let path = ModelPath(descriptor.keyPath, from: entity, in: model)
        query.sortDescriptors[place].keyPath = path.names + path.rest
        let expression = query.sortDescriptors[place].expression
        if !isAllowed, keyVariables[expression.writtenText] == nil || query.isDistinct {
            throw error(
                .notGrouped,
                "Sorting by '\(descriptor.keyPath.joinedPath)': "
                    + (query.isDistinct
                        ? "distinct results are sorted by their columns only. Add it to them."
                        : "it is neither a column nor grouped. Sort by the name of one that is."))
        }
        // Fails for values without an order.
        _ = try [descriptor].bound(to: entity, in: model)
        if !isAllowed, let variable = keyVariables[expression.writtenText] {
            return part(.variable(variable))
        }
        return .key(addKey(expression, try bound(expression)))
    }

    private func type(of part: ResultPart) throws(FetchPredicateError) -> ExpressionType {
        switch part {
        case .key(let place): return keys[place].bound.type
        case .aggregate(let place): return try type(of: .variable(aggregates[place].variable))
        case .calculated(let expression): return try type(of: expression)
        }
    }

    private func check(
        _ descriptor: FetchSortDescriptor, _ type: ExpressionType
    ) throws(FetchPredicateError) {
        let name = descriptor.keyPath.joinedPath
        if type.family == .object || type.family == .encoded {
            throw error(
                .typeMismatch,
                "Sorting by '\(name)': objects and encoded values have no order. Sort by an attribute "
                    + "of them.")
        }
        if let family = type.family { try descriptor.checkComparison(family, of: entity) }
    }
}
