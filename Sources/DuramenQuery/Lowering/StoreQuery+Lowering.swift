package import DuramenModel

extension StoreQuery {
    /// The same question in the forms that stores are made for; see ``FetchPredicate/lowered(for:in:)``.
    ///
    /// - Throws: ``FetchPredicateError`` `.tooComplex`.
    package func lowered(in model: ManagedObjectModel) throws(FetchPredicateError) -> StoreQuery {
        var query = self
        let entity = model[entity]
        query.predicate = try predicate?.lowered(for: entity, in: model)
        guard model.hasComposites else { return query }
        for place in sortDescriptors.indices {
            let path = ModelPath(sortDescriptors[place].keyPath, from: entity, in: model)
            query.sortDescriptors[place].keyPath = path.names + path.rest
        }
        return query
    }
}

extension FetchPredicate {
    /// The same condition in the few forms that stores and the evaluator are made for: elements of
    /// composites under one name, quantifiers as ``quantified(_:keyPath:_:)``, constants calculated.
    ///
    /// - Throws: ``FetchPredicateError`` `.tooComplex`.
    package func lowered(
        for entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> FetchPredicate {
        if !model.hasComposites, isLow { return self }
        try PredicateComplexity.check(self, entity: entity)
        return PredicateLowering(model: model, entity: entity).predicate(self)
    }

    /// Whether the predicate, or each part of the `and` that it is, is a comparison in its lowest form.
    ///
    /// Such a predicate is not too complex, and nothing deeper is looked at.
    private var isLow: Bool {
        switch self {
        case .comparison(let comparison): comparison.isLow
        case .and(let parts):
            parts.count < PredicateComplexity.mostNodes
                && parts.allSatisfy { part in
                    if case .comparison(let comparison) = part { comparison.isLow } else { false }
                }
        default: false
        }
    }
}

extension PredicateComparison {
    fileprivate var isLow: Bool {
        if quantifier != nil || !right.isValue || options != options.effective(for: `operator`) {
            return false
        }
        switch left {
        // More steps may go over a to-many.
        case .keyPath(let names): return names.count == 1
        case .selfObject: return true
        default: return false
        }
    }
}
