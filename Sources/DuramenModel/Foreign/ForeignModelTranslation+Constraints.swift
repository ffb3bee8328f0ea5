extension ForeignModelTranslation {
    /// Adds what entities say about their properties, once all of these are known.
    mutating func addConstraints() {
        let hierarchy = Hierarchy(
            parents: entities.map { entity in
                entity.superentity.flatMap { places[StoredText($0)] }
            })
        let properties = DeclaredProperties(descriptions, hierarchy)
        var inherited = InheritedConstraints(hierarchy)
        // A circle of parents is left to the check of the whole model.
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

    /// Indexes make queries faster and change no answer: those that cannot be said are not missed.
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
    /// Whether a name is that of an attribute or a to-one whose values constraints and indexes can
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

/// Constraints that archives of models repeat for each entity that inherits them.
private struct InheritedConstraints {
    private struct Key: Hashable {
        let root: Int
        let names: [StoredText]
    }

    private let hierarchy: Hierarchy
    // The last entity that declares a constraint; those before have no more entities below them.
    private var owners: [Key: Int] = [:]

    init(_ hierarchy: Hierarchy) { self.hierarchy = hierarchy }

    /// Whether an entity declares a constraint itself. Entities come in the order of the hierarchy.
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
