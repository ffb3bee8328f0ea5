public import DuramenModel

extension FetchPredicate {
    /// Returns whether the predicate is true for a value outside of a store: text, a collection, or
    /// named values.
    ///
    /// Values that cannot be compared are unequal and have no order. Unknown names have the value
    /// null.
    /// - Parameters:
    ///   - subject: The value.
    ///   - variables: The values of the predicate's variables.
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
    /// Returns the value of the expression for a value outside of a store.
    ///
    /// - Parameters:
    ///   - subject: The value.
    ///   - variables: The values of the expression's variables.
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

/// A source without objects: their properties are null.
struct NoObjects: NamedProperties {
    func value(of id: ManagedObjectID, named name: String) -> QueryValue { .null }
    func leadsOverToMany(_ path: ArraySlice<String>, from id: ManagedObjectID) -> Bool { false }
}
