extension ForeignModelTranslation {
    mutating func addConstraints(of place: Int) {
        let entity = entities[place]
        var attributes: Set<StoredText> = []
        var toOnes: Set<StoredText> = []
        for name in lineage(of: place) {
            attributes.formUnion(
                descriptions[name].attributes
                    .filter { !$0.isTransient && !$0.allowsExternalBinaryDataStorage }
                    .map { StoredText($0.name) })
            toOnes.formUnion(
                descriptions[name].relationships.filter { !$0.isToMany }
                    .map { StoredText($0.name) })
        }
        for names in entity.uniqueProperties where !isInherited(names, place) {
            let keys = names.map { StoredText($0) }
            if !keys.isEmpty, Set(keys).count == keys.count, attributes.isSuperset(of: keys) {
                descriptions[place].uniquenessConstraints.append(names)
            } else {
                note(
                    entity.name, names.joined(separator: ", "),
                    "unique, but not over stored attributes alone; the constraint is left out")
            }
        }
        // Indexes make queries faster and change no answer: those that cannot be said are not missed.
        var indexNames: Set<StoredText> = []
        for index in entity.indexes {
            let keys = index.elements.map { StoredText($0.property) }
            guard NameChecks.problem(with: index.name) == nil, !keys.isEmpty,
                Set(keys).count == keys.count,
                attributes.union(toOnes).isSuperset(of: keys),
                indexNames.insert(StoredText(index.name)).inserted
            else { continue }
            descriptions[place].indexes.append(index)
        }
    }

    private func isInherited(_ names: [String], _ place: Int) -> Bool {
        lineage(of: place).dropFirst().contains { ancestor in
            entities[ancestor].uniqueProperties.contains {
                $0.map { StoredText($0) } == names.map { StoredText($0) }
            }
        }
    }

    /// The entity and its ancestors; a circle of them is left to the check of the whole model.
    private func lineage(of place: Int) -> [Int] {
        var result = [place]
        while let parent = entities[result[result.count - 1]].superentity,
            let next = places[StoredText(parent)], result.count <= entities.count
        {
            result.append(next)
        }
        return result
    }
}
