package import DuramenModel

/// Gives each element of a composite one name, as stores know it, and spells out what comparing a
/// composite with nil means, so that nothing behind it has to know composites.
///
/// `["epicentre", "latitude"]` becomes `["epicentre.latitude"]`, and `epicentre == nil` becomes a test of
/// all elements. What does not fit the model is left for the binder to refuse.
struct CompositeFlattening {
    let model: ManagedObjectModel

    /// Recursion is safe here: ``PredicateComplexity`` has bounded the depth.
    func predicate(_ predicate: FetchPredicate, of entity: Entity) -> FetchPredicate {
        guard model.hasComposites else { return predicate }
        return switch predicate {
        case .constant: predicate
        case .comparison(let comparison): self.comparison(comparison, of: entity)
        case .not(let part): .not(self.predicate(part, of: entity))
        case .and(let parts): .and(parts.map { self.predicate($0, of: entity) })
        case .or(let parts): .or(parts.map { self.predicate($0, of: entity) })
        case .quantified(let quantifier, let keyPath, let part):
            .quantified(
                quantifier, keyPath: path(keyPath, of: entity),
                destination(of: keyPath, of: entity).map { self.predicate(part, of: $0) } ?? part)
        }
    }

    /// A key path with one name for every element of a composite.
    func path(_ names: [String], of entity: Entity) -> [String] {
        model.hasComposites ? walk(names, from: entity).path : names
    }

    // MARK: - Key paths

    /// Follows a path as far as the model knows it.
    ///
    /// - Returns: The path, with the composite that it ends in, or the entity that it leads to.
    private func walk(
        _ names: [String], from entity: Entity
    ) -> (path: [String], composite: CompositeAttribute?, entity: Entity?) {
        var path: [String] = []
        var current = entity
        var rest = names[...]
        while let name = rest.popFirst() {
            if case .relationship(let relationship)? = current.property(named: name) {
                path.append(name)
                current = model[relationship.destination]
                continue
            }
            var element = name
            var composite = current.composite(named: name)
            while composite != nil, let next = rest.popFirst() {
                element += ".\(next)"
                composite = current.composite(named: element)
            }
            return (path + [element] + rest, composite, nil)
        }
        return (path, nil, current)
    }

    private func destination(of names: [String], of entity: Entity) -> Entity? {
        walk(names, from: entity).entity
    }

    // MARK: - Comparisons

    private func comparison(
        _ comparison: PredicateComparison, of entity: Entity
    ) -> FetchPredicate {
        if let test = nilTest(comparison.left, comparison.right, comparison, entity)
            ?? nilTest(comparison.right, comparison.left, comparison, entity)
        {
            return test
        }
        var flattened = comparison
        flattened.left = expression(comparison.left, of: entity)
        flattened.right = expression(comparison.right, of: entity)
        return .comparison(flattened)
    }

    private func expression(_ expression: FetchExpression, of entity: Entity) -> FetchExpression {
        switch expression {
        case .keyPath(let names): .keyPath(path(names, of: entity))
        case .count(let names): .count(keyPath: path(names, of: entity))
        case .constant, .list, .selfObject: expression
        }
    }

    /// Whether a composite has a value: some element has one.
    private func nilTest(
        _ composite: FetchExpression, _ other: FetchExpression, _ comparison: PredicateComparison,
        _ entity: Entity
    ) -> FetchPredicate? {
        let relation = comparison.operator
        guard case .keyPath(let names) = composite, case .constant(.null) = other,
            relation == .equal || relation == .notEqual, comparison.options.isEmpty
        else { return nil }
        let (path, found, _) = walk(names, from: entity)
        guard let found else { return nil }
        let tests = found.attributes.map { attribute in
            FetchPredicate.comparison(
                PredicateComparison(
                    .keyPath(path.dropLast() + [attribute.name]), relation, .constant(.null)))
        }
        return relation == .equal ? .and(tests) : .or(tests)
    }
}

extension StoreQuery {
    /// The same question with each element of a composite under one name, `epicentre.latitude`, which
    /// stores know, so that a single step of a key path is again what one row holds.
    ///
    /// - Throws: ``FetchPredicateError`` `.tooComplex`.
    package func flatteningComposites(
        in model: ManagedObjectModel
    ) throws(FetchPredicateError) -> StoreQuery {
        guard model.hasComposites else { return self }
        let entity = model[entity]
        if let predicate { try PredicateComplexity.check(predicate, entity: entity) }
        let flattening = CompositeFlattening(model: model)
        var query = self
        query.predicate = predicate.map { flattening.predicate($0, of: entity) }
        for place in sortDescriptors.indices {
            query.sortDescriptors[place].keyPath = flattening.path(
                sortDescriptors[place].keyPath, of: entity)
        }
        return query
    }
}
