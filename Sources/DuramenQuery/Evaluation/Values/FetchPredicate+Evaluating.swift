public import DuramenModel

extension FetchPredicate {
    /// Whether the predicate is true of a value that no store holds: text, a collection, values by
    /// name.
    ///
    /// Values that do not compare are unequal and have no order; a name that is not there means
    /// null.
    /// - Parameter variables: Values of the predicate's variables.
    /// - Throws: ``PredicateFormatError`` `.missingVariable` or `.tooComplex`, or
    ///   ``FetchPredicateError`` `.invalidPattern`.
    public func evaluate(
        with subject: QueryValue, variables: [String: any PredicateArgument] = [:]
    ) throws -> Bool {
        let predicate = try withSubstitutionVariables(variables)
        try predicate.checkPatterns()
        var evaluator = ValueEvaluator(NoObjects())
        return evaluator.holds(predicate, subject)
    }

    fileprivate func checkPatterns() throws(FetchPredicateError) {
        try forEachComparison { comparison throws(FetchPredicateError) in
            try ExpressionCheck(comparison, entity: "value").pattern()
        }
    }
}

extension FetchExpression {
    /// Returns the value of the expression for a value that is not in a store.
    ///
    /// - Throws: ``PredicateFormatError`` `.missingVariable` or `.tooComplex`, or
    ///   ``FetchPredicateError`` `.invalidPattern`.
    public func value(
        with subject: QueryValue = .value(StoredValue.null),
        variables: [String: any PredicateArgument] = [:]
    ) throws -> QueryValue {
        let carrier = FetchPredicate.comparison(
            PredicateComparison(self, .equal, .constant(.null)))
        let filled = try carrier.withSubstitutionVariables(variables)
        try filled.checkPatterns()
        guard case .comparison(let comparison) = filled.form else { return .null }
        var evaluator = ValueEvaluator(NoObjects())
        return evaluator.value(comparison.left, subject)
    }
}

/// Where object IDs lead to nothing.
struct NoObjects: NamedProperties {
    func value(of id: ManagedObjectID, named name: String) -> QueryValue { .null }
    func leadsOverToMany(_ path: ArraySlice<String>, from id: ManagedObjectID) -> Bool { false }
}
