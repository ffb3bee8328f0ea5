import Foundation

extension FetchPredicate {
    /// The names of the variables that have no value yet, each once, in the order of their first places.
    ///
    /// A predicate that is too complex to be used has none.
    public var substitutionVariables: [String] {
        if PredicateComplexity.problem(self) != nil { return [] }
        var variables = FreeVariables()
        variables.visit(self)
        return variables.names
    }

    /// The predicate with values for its variables.
    ///
    /// A variable of a subquery stands for its elements within it, whatever is given here.
    /// - Throws: ``PredicateFormatError`` `.missingVariable`, naming the first that is not given, or
    ///   `.tooComplex`.
    public func withSubstitutionVariables(
        _ values: [String: any PredicateArgument]
    ) throws(PredicateFormatError) -> FetchPredicate {
        if let problem = PredicateComplexity.problem(self) {
            throw PredicateFormatError(.tooComplex, format: "", offset: 0, problem)
        }
        if let name = substitutionVariables.first(where: { values[$0] == nil }) {
            let format = description
            let place = format.range(of: "$" + name)
            throw PredicateFormatError(
                .missingVariable, format: format,
                offset: format.unicodeScalars.distance(
                    from: format.startIndex, to: place?.lowerBound ?? format.startIndex),
                "The variable $\(name) has no value. Give it one under its name, without the $.")
        }
        return VariableSubstitution(values: values.mapValues(\.predicateExpression), bound: [])
            .predicate(self)
    }
}

/// Finds variables, those of subqueries and assignments left out.
private struct FreeVariables {
    private(set) var names: [String] = []
    private var bound: [String] = []

    mutating func visit(_ predicate: FetchPredicate) {
        switch predicate {
        case .constant: break
        case .comparison(let comparison):
            visit(comparison.left)
            visit(comparison.right)
        case .not(let part), .quantified(_, _, let part): visit(part)
        case .and(let parts), .or(let parts): for part in parts { visit(part) }
        }
    }

    private mutating func visit(_ expression: FetchExpression) {
        if case .variable(let name) = expression, !bound.contains(name), !names.contains(name) {
            names.append(name)
        }
        for operand in expression.operands { visit(operand) }
        if case .assignment(let name, _) = expression { bound.append(name) }
        guard let condition = expression.condition else { return }
        let outside = bound
        if case .subquery(_, let variable, _) = expression {
            bound.append(variable)
            visit(condition)
            bound = outside
        } else {
            visit(condition)
        }
    }
}

/// Puts values in the place of variables.
private struct VariableSubstitution {
    let values: [String: FetchExpression]
    /// The variables of the subqueries around.
    var bound: Set<String>

    func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        predicate.mapping { comparison in
            var copy = comparison
            copy.left = expression(comparison.left)
            copy.right = expression(comparison.right)
            return .comparison(copy)
        }
    }

    private func expression(_ expression: FetchExpression) -> FetchExpression {
        if case .variable(let name) = expression {
            return bound.contains(name) ? expression : values[name] ?? expression
        }
        var inner = self
        if case .subquery(_, let variable, _) = expression { inner.bound.insert(variable) }
        return expression.mapping(
            operands: { self.expression($0) }, condition: { inner.predicate($0) })
    }
}
