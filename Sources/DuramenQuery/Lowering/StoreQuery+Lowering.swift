package import DuramenModel

extension StoreQuery {
    /// Returns this query in the forms that stores support; see
    /// ``FetchPredicate/lowered(for:in:)``.
    ///
    /// - Throws: ``FetchPredicateError`` `.tooComplex`.
    package func lowered(in model: ManagedObjectModel) throws(FetchPredicateError) -> StoreQuery {
        var query = self
        let entity = model[entity]
        query.predicate = try predicate?.lowered(for: entity, in: model)
        let resolver = KeyPathResolver(model: model, entity: entity)
        for descriptor in sortDescriptors { try resolver.checkLength(of: descriptor.keyPath) }
        query.sortDescriptors = sortDescriptors.withoutNeedlessKeys
        guard model.hasComposites else { return query }
        for place in query.sortDescriptors.indices {
            let path = ModelPath(query.sortDescriptors[place].keyPath, from: entity, in: model)
            query.sortDescriptors[place].keyPath = path.names + path.rest
        }
        return query
    }
}

extension FetchPredicate {
    /// Returns this condition in the few forms that stores and the evaluator support. Elements of
    /// composites have one name, quantifiers become ``quantified(_:keyPath:_:)``, and constants are
    /// evaluated.
    ///
    /// - Throws: ``FetchPredicateError`` `.tooComplex`.
    package func lowered(
        for entity: Entity, in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> FetchPredicate {
        var nodes = PredicateComplexity.mostNodes
        if !model.hasComposites, isLow(for: entity, depth: 8, &nodes) { return self }
        try PredicateComplexity.check(self, entity: entity)
        let lowered = PredicateLowering(model: model, entity: entity).predicate(self)
        try PredicateComplexity.checkKept(lowered.size, entity: entity)
        return lowered
    }

    /// Returns whether the predicate joins only comparisons in their lowest form, and is not too
    /// complex.
    ///
    /// - Parameters:
    ///   - entity: The entity of the objects.
    ///   - depth: The remaining depth to examine.
    ///   - nodes: The remaining number of parts to examine.
    private func isLow(for entity: Entity, depth: Int, _ nodes: inout Int) -> Bool {
        nodes -= 1
        if depth == 0 || nodes <= 0 { return false }
        switch form {
        case .comparison(let comparison): return comparison.isLow(for: entity)
        case .not(let part): return part.isLow(for: entity, depth: depth - 1, &nodes)
        case .and(let parts), .or(let parts):
            for part in parts where !part.isLow(for: entity, depth: depth - 1, &nodes) {
                return false
            }
            return true
        case .constant, .quantified: return false
        }
    }
}

extension PredicateComparison {
    fileprivate func isLow(for entity: Entity) -> Bool {
        if quantifier != nil || !right.isValue || options != options.effective(for: `operator`) {
            return false
        }
        switch left.form {
        // Further steps may go through a to-many.
        case .keyPath(let names):
            return names.count == 1
                && (right.form != .constant(.null) || !entity.hasToMany(names[0]))
        case .selfObject: return true
        default: return false
        }
    }
}

extension Entity {
    fileprivate func hasToMany(_ name: String) -> Bool {
        if case .relationship(let relationship)? = property(named: name) {
            relationship.isToMany
        } else {
            false
        }
    }
}
