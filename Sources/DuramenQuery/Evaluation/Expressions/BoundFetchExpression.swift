package import DuramenModel

/// An expression that was checked against an entity and can be evaluated for rows, on any thread.
package struct BoundFetchExpression: Sendable {
    let expression: BoundExpression
    let type: ExpressionType
    private let variableCount: Int

    init(_ expression: BoundExpression, _ type: ExpressionType, variableCount: Int) {
        self.expression = expression
        self.type = type
        self.variableCount = variableCount
    }

    /// Whether the expression has one value for all objects.
    package var isConstant: Bool { if case .constant = expression { true } else { false } }

    /// Returns the value of the expression for an object: one value, or several.
    ///
    /// - Parameters:
    ///   - row: The object's values; its entity is the bound entity or a sub-entity of it.
    ///   - id: The object's ID, which may be temporary and need not be the ID of `row`.
    ///   - source: The source of related rows, with the model to which the expression was bound.
    /// - Throws: The errors of `source`.
    package func value<Source: EvaluationSource>(
        of row: Row, id: ManagedObjectID, in source: Source
    ) throws(Source.Failure) -> QueryValue {
        // Most expressions are a single attribute.
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
    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - model: The entity's model.
    /// - Throws: ``FetchPredicateError`` with the entity, the key path or function, and a remedy.
    package func bound(
        to entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> BoundFetchExpression {
        let expression = try lowered(for: entity, in: model)
        let scope = VariableScope()
        let binder = PredicateBinder(model: model, entity: entity, scope: scope)
        let (bound, type) = try binder.expression(expression)
        return BoundFetchExpression(bound, type, variableCount: scope.count)
    }

    /// Returns this expression in the forms that stores support; see
    /// ``FetchPredicate/lowered(for:in:)``.
    ///
    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - model: The entity's model.
    ///   - keepsAggregates: As in ``PredicateLowering``.
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
