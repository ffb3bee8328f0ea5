extension FetchPredicate {
    /// The names of the variables that have no value yet, each once, in the order of their first
    /// places.
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
    /// A variable of a subquery stands for its elements within it, and one of an assignment for the
    /// assigned value in all that is to the right, whatever is given here.
    /// - Throws: ``PredicateFormatError`` `.missingVariable`, naming the first that is not given,
    ///   or `.tooComplex`, also when the values make it so.
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

    /// Where the variable is, in Unicode scalars: not where another one is whose name begins so.
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

/// Finds variables, those of subqueries and assignments left out.
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
        // What is assigned in the condition is known in both branches.
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

/// Puts values in the place of variables.
private struct VariableSubstitution {
    let values: [String: FetchExpression]
    /// The variables of the subqueries around, and of the assignments to the left.
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
