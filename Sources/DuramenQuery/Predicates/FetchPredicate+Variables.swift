extension FetchPredicate {
    /// The names of the variables without a value, each once, in the order of their first use.
    ///
    /// Empty for a predicate that is too complex.
    public var substitutionVariables: [String] {
        if PredicateComplexity.problem(self) != nil { return [] }
        var variables = FreeVariables()
        variables.visit(self)
        return variables.names
    }

    /// Returns the predicate with its variables replaced by values.
    ///
    /// Variables of subqueries and assignments keep their meaning. A subquery's variable refers to
    /// its elements within the subquery. An assigned variable refers to the assigned value in
    /// everything to its right.
    /// - Parameter values: The values by the names of the variables.
    /// - Throws: ``PredicateFormatError`` `.missingVariable` with the first variable without a
    ///   value, or `.tooComplex` if the predicate is too complex, with or without the values.
    public func withSubstitutionVariables(
        _ values: [String: any PredicateArgument]
    ) throws(PredicateFormatError) -> FetchPredicate {
        try Self.checkComplexity(of: self)
        var variables = FreeVariables()
        variables.visit(self)
        if variables.names.isEmpty { return self }
        if let name = variables.names.first(where: { values[$0] == nil }) {
            let format = shape
            throw PredicateFormatError(
                .missingVariable, format: format, offset: Self.place(of: name, in: format),
                "The variable $\(name) has no value. Give it one under its name, without the $.")
        }
        var substitution = VariableSubstitution(values: values.mapValues(\.predicateExpression))
        let result = substitution.predicate(self)
        try Self.checkComplexity(of: result)
        return result
    }

    private static func checkComplexity(
        of predicate: FetchPredicate
    ) throws(PredicateFormatError) {
        if let problem = PredicateComplexity.problem(predicate) {
            throw PredicateFormatError(.tooComplex, format: "", offset: 0, problem)
        }
    }

    /// Returns the position of a variable in Unicode scalars. It ignores longer names that begin
    /// with the name.
    private static func place(of name: String, in format: String) -> Int {
        let scalars = Array(format.unicodeScalars)
        let sought = Array("$\(name)".unicodeScalars)
        return scalars.indices.first { place in
            guard scalars[place...].starts(with: sought) else { return false }
            let end = place + sought.count
            return end == scalars.count || !FormatText.isIdentifierPart(scalars[end])
        } ?? 0
    }
}

/// Finds the free variables of a predicate, without those of subqueries and assignments.
private struct FreeVariables {
    private(set) var names: [String] = []
    private var bound: Set<String> = []

    mutating func visit(_ predicate: FetchPredicate) {
        switch predicate.form {
        case .constant: break
        case .comparison(let comparison):
            visit(comparison.left)
            visit(comparison.right)
        case .not(let part), .quantified(_, _, let part): visit(part)
        case .and(let parts), .or(let parts): for part in parts { visit(part) }
        }
    }

    private mutating func visit(_ expression: FetchExpression) {
        switch expression.form {
        case .variable(let name):
            if !bound.contains(name), !names.contains(name) { names.append(name) }
        case .subquery(let collection, let variable, let condition):
            visit(collection)
            let outside = bound
            bound.insert(variable)
            visit(condition)
            bound = outside
        // An assignment in the condition is visible in both branches.
        case .conditional(let condition, let first, let second):
            visit(condition)
            visit(first)
            visit(second)
        case .assignment(let name, let value):
            visit(value)
            bound.insert(name)
        default: for operand in expression.operands { visit(operand) }
        }
    }
}

/// Replaces variables with values.
private struct VariableSubstitution {
    let values: [String: FetchExpression]
    /// The variables of the enclosing subqueries, and of the assignments to the left.
    private var bound: Set<String> = []

    init(values: [String: FetchExpression]) { self.values = values }

    mutating func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        predicate.mapping { comparison in
            var copy = comparison
            copy.left = expression(comparison.left)
            copy.right = expression(comparison.right)
            return .comparison(copy)
        }
    }

    private mutating func expression(_ expression: FetchExpression) -> FetchExpression {
        switch expression.form {
        case .variable(let name):
            return bound.contains(name) ? expression : values[name] ?? expression
        case .subquery(let collection, let variable, let condition):
            let collection = self.expression(collection)
            let outside = bound
            bound.insert(variable)
            defer { bound = outside }
            return .subquery(collection, variable: variable, predicate(condition))
        case .conditional(let condition, let first, let second):
            let condition = predicate(condition)
            return .conditional(condition, self.expression(first), self.expression(second))
        case .assignment(let name, let value):
            let value = self.expression(value)
            bound.insert(name)
            return .assignment(name, value)
        case .aggregate(let parts): return .aggregate(parts.map { self.expression($0) })
        case .function(let function, let arguments):
            return .function(function, arguments.map { self.expression($0) })
        case .property(let base, let names): return .property(self.expression(base), names)
        case .cast(let value, let type): return .cast(self.expression(value), type)
        case .constant, .list, .keyPath, .selfObject, .count, .anyKey: return expression
        }
    }
}
