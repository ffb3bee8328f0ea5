extension ForeignModelTranslation {
    /// Adds the constraints and indexes of entities, once all properties are known.
    mutating func addConstraints() {
        let hierarchy = Hierarchy(
            parents: entities.map { entity in
                entity.superentity.flatMap { places[StoredText($0)] }
            })
        let properties = DeclaredProperties(descriptions, hierarchy)
        var inherited = InheritedConstraints(hierarchy)
        // The check of the whole model reports a circle of parents.
        for place in hierarchy.order + hierarchy.outside {
            for names in entities[place].uniqueProperties
            where inherited.insert(names, declaredBy: place) {
                addConstraint(names, at: place, properties)
            }
            addIndexes(of: place, properties)
        }
    }

    private mutating func addConstraint(
        _ names: [String], at place: Int, _ properties: DeclaredProperties
    ) {
        let keys = names.map { StoredText($0) }
        let isKept =
            !keys.isEmpty && Set(keys).count == keys.count
            && keys.allSatisfy { properties.isComparable($0, in: place) }
        if isKept { return descriptions[place].uniquenessConstraints.append(names) }
        note(
            entities[place].name, names.joined(separator: ", "),
            "unique, but not over stored attributes and to-ones alone; the constraint is left out")
    }

    /// Adds indexes. They only make queries faster, so an index that cannot be translated is left
    /// out.
    private mutating func addIndexes(of place: Int, _ properties: DeclaredProperties) {
        var indexNames: Set<StoredText> = []
        for index in entities[place].indexes {
            let keys = index.elements.map { StoredText($0.property) }
            guard NameChecks.problem(with: index.name) == nil, !keys.isEmpty,
                Set(keys).count == keys.count,
                keys.allSatisfy({ properties.isComparable($0, in: place) }),
                indexNames.insert(StoredText(index.name)).inserted
            else { continue }
            descriptions[place].indexes.append(index)
        }
    }
}

extension DeclaredProperties {
    /// Returns whether a name is an attribute or to-one whose values constraints and indexes can
    /// compare.
    fileprivate func isComparable(_ name: StoredText, in place: Int) -> Bool {
        switch declaration(of: name, in: place)?.kind {
        case .attribute(let attribute):
            !attribute.isTransient && !attribute.allowsExternalBinaryDataStorage
                && attribute.type != .composite && attribute.type != .transformable
        case .relationship(let relationship): !relationship.isToMany
        case .fetchedProperty, nil: false
        }
    }
}

/// Removes the constraints that archives of models repeat for each inheriting entity.
private struct InheritedConstraints {
    private struct Key: Hashable {
        let root: Int
        let names: [StoredText]
    }

    private let hierarchy: Hierarchy
    // The last entity that declares a constraint. Earlier entities have no more sub-entities in the
    // order.
    private var owners: [Key: Int] = [:]

    init(_ hierarchy: Hierarchy) { self.hierarchy = hierarchy }

    /// Returns whether an entity declares a constraint itself. Entities must come in hierarchy
    /// order.
    mutating func insert(_ names: [String], declaredBy place: Int) -> Bool {
        let key = Key(root: hierarchy.roots[place], names: names.map { StoredText($0) })
        if let owner = owners[key], owner != place,
            hierarchy.isAncestor(owner, orSameAs: place)
        {
            return false
        }
        owners[key] = place
        return true
    }
}
