public import DuramenModel

extension FetchPredicate {
    /// Whether the predicate is true of a value that no store holds: text, a collection, values by name.
    ///
    /// Values that do not compare are unequal and have no order; a name that is not there means null.
    /// - Parameter variables: Values of the predicate's variables.
    /// - Throws: ``PredicateFormatError`` `.missingVariable`, or ``FetchPredicateError`` `.tooComplex` or
    ///   `.invalidPattern`.
    public func evaluate(
        with subject: QueryValue, variables: [String: any PredicateArgument] = [:]
    ) throws -> Bool {
        let predicate = try withSubstitutionVariables(variables)
        _ = try predicate.mapping { comparison throws(FetchPredicateError) in
            if comparison.operator == .matches, case .constant(let pattern) = comparison.right {
                try ExpressionCheck(comparison, entity: "value").pattern(pattern)
            }
            return .comparison(comparison)
        }
        var evaluator = ValueEvaluator(NoObjects())
        return evaluator.holds(predicate, subject)
    }
}

extension FetchExpression {
    /// What the expression gives for a value that no store holds.
    ///
    /// - Throws: ``PredicateFormatError`` `.missingVariable` or `.tooComplex`.
    public func value(
        with subject: QueryValue = .value(StoredValue.null),
        variables: [String: any PredicateArgument] = [:]
    ) throws -> QueryValue {
        let carrier = FetchPredicate.comparison(
            PredicateComparison(self, .equal, .constant(.null)))
        guard
            case .comparison(let comparison) = try carrier.withSubstitutionVariables(variables)
        else { return .null }
        var evaluator = ValueEvaluator(NoObjects())
        return evaluator.value(comparison.left, subject)
    }
}

/// Where object IDs lead to nothing.
struct NoObjects: NamedProperties {
    func value(of id: ManagedObjectID, named name: String) -> QueryValue { .null }
    func leadsOverToMany(_ path: ArraySlice<String>, from id: ManagedObjectID) -> Bool { false }
}
