package import DuramenModel

/// An expression checked against an entity and ready to be asked what it gives for rows, on any
/// thread.
package struct BoundFetchExpression: Sendable {
    let expression: BoundExpression
    let type: ExpressionType
    private let variableCount: Int

    init(_ expression: BoundExpression, _ type: ExpressionType, variableCount: Int) {
        self.expression = expression
        self.type = type
        self.variableCount = variableCount
    }

    /// Whether the expression gives the same for all objects.
    package var isConstant: Bool { if case .constant = expression { true } else { false } }

    /// What the expression gives for an object: one value, or several.
    ///
    /// - Parameters: As those of ``BoundPredicate/evaluate(_:id:in:)``.
    /// - Throws: What `source` throws.
    package func value<Source: EvaluationSource>(
        of row: Row, id: ManagedObjectID, in source: Source
    ) throws(Source.Failure) -> QueryValue {
        // Most expressions are an attribute.
        if case .path(nil, let steps) = expression, steps.count == 1,
            case .attribute(let slot, let kind) = steps[0]
        {
            return .value(row.value(slot, kind))
        }
        var frame = [QueryValue](repeating: .null, count: variableCount)
        return try Evaluator(source).value(expression, row, id, &frame)
    }
}

extension FetchExpression {
    /// Resolves the names and checks the types, once for any number of rows.
    ///
    /// - Throws: ``FetchPredicateError`` that names the entity, the key path or function, and a
    ///   remedy.
    package func bound(
        to entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> BoundFetchExpression {
        let expression = try lowered(for: entity, in: model)
        let scope = VariableScope()
        let binder = PredicateBinder(model: model, entity: entity, scope: scope)
        let (bound, type) = try binder.expression(expression)
        return BoundFetchExpression(bound, type, variableCount: scope.count)
    }

    /// The same expression in the forms that stores are made for; see
    /// ``FetchPredicate/lowered(for:in:)``.
    ///
    /// - Parameter keepsAggregates: As in ``PredicateLowering``.
    func lowered(
        for entity: Entity, in model: ManagedObjectModel, keepsAggregates: Bool = false
    ) throws(FetchPredicateError) -> FetchExpression {
        try PredicateComplexity.check(self, entity: entity)
        var lowering = PredicateLowering(model: model, entity: entity)
        lowering.keepsAggregates = keepsAggregates
        let lowered = lowering.expression(self)
        try PredicateComplexity.checkKept(lowered.size, entity: entity)
        return lowered
    }
}
