package import DuramenModel

extension StoreQuery {
    /// The same question in the forms that stores are made for; see
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
    /// The same condition in the few forms that stores and the evaluator are made for: elements of
    /// composites under one name, quantifiers as ``quantified(_:keyPath:_:)``, constants
    /// calculated.
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

    /// Whether the predicate joins nothing but comparisons in their lowest form, which are not too
    /// complex.
    ///
    /// - Parameters:
    ///   - entity: The entity of the objects.
    ///   - depth: How deep is looked.
    ///   - nodes: How many more parts are looked at.
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
        // More steps may go over a to-many.
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
