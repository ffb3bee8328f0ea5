/// Turns descriptions into drafts: names, inheritance, inverses, slots, constraints, hashes.
///
/// Each step notes its mistakes and goes on as far as it can, so that one run lists them all.
struct ModelResolver {
    private(set) var descriptions: [EntityDescription]
    private(set) var relationships: [Relationship] = []
    private var mistakes: [ModelError.Mistake] = []
    private var indexByName: [StoredText: Int] = [:]
    // Names of two entities: what refers to them is not judged, since nobody knows which one is meant.
    private var ambiguousNames: Set<StoredText> = []
    private var drafts: [EntityDraft] = []
    private let transformers: ValueTransformers

    init(_ descriptions: [EntityDescription], _ transformers: ValueTransformers) {
        self.transformers = transformers
        self.descriptions = descriptions.sorted { StoredText($0.name) < StoredText($1.name) }
    }

    mutating func resolve() throws(ModelError) -> [EntityDraft] {
        checkNames()
        resolveInheritance()
        completeInverses()
        mistakes += PropertyChecks(descriptions, transformers).mistakes
        checkFetchedProperties()
        checkInheritedNames()
        checkConstraints()
        try stopIfMistaken()
        layOut()
        resolveConstraints()
        VersionHash.fill(&drafts)
        return drafts
    }

    private func stopIfMistaken() throws(ModelError) {
        if mistakes.isEmpty { return }
        let byEntity = Dictionary(grouping: mistakes) { StoredText($0.entity) }
        throw ModelError(mistakes: byEntity.sorted { $0.key < $1.key }.flatMap(\.value))
    }

    // MARK: - Names and inheritance

    private mutating func checkNames() {
        if descriptions.count > Int(UInt16.max) {
            mistakes.append(
                .init(.tooLarge, entity: "", "the model has more than 65 535 entities; split it."))
        }
        for (index, description) in descriptions.enumerated() {
            mistakes += NameChecks.mistakes(in: description)
            let key = StoredText(description.name)
            if indexByName[key] != nil {
                ambiguousNames.insert(key)
                mistakes.append(
                    .init(
                        .duplicateName, entity: description.name,
                        "two entities have this name; rename one."))
            }
            indexByName[key] = index
        }
    }

    private mutating func resolveInheritance() {
        drafts = descriptions.enumerated().map {
            EntityDraft(id: EntityID(index: $0.offset), description: $0.element)
        }
        for index in drafts.indices {
            guard let parent = descriptions[index].superentity else { continue }
            guard let place = indexByName[StoredText(parent)] else {
                mistakes.append(
                    .init(
                        .unknownEntity, entity: descriptions[index].name,
                        "its superentity '\(parent)' is not in the model; add it."))
                continue
            }
            if !ambiguousNames.contains(StoredText(parent)) {
                drafts[index].superentity = EntityID(index: place)
            }
        }
        for index in drafts.indices {
            guard let ancestors = ancestors(of: index) else {
                if isOwnAncestor(index) {
                    mistakes.append(
                        .init(
                            .inheritanceCycle, entity: descriptions[index].name,
                            "the entity is its own ancestor; break the cycle of superentities."))
                }
                continue
            }
            drafts[index].root = EntityID(index: ancestors.last ?? index)
            for place in [index] + ancestors { drafts[place].family.append(drafts[index].id) }
            if let parent = ancestors.first { drafts[parent].subentities.append(drafts[index].id) }
        }
    }

    /// Whether a walk to the ancestors comes back; an entity below a cycle is not in it.
    private func isOwnAncestor(_ index: Int) -> Bool {
        var place = drafts[index].superentity
        for _ in drafts {
            guard let current = place, current.index != index else { break }
            place = drafts[current.index].superentity
        }
        return place?.index == index
    }

    /// The ancestors, nearest first; nil when they lead into a cycle.
    private func ancestors(of index: Int) -> [Int]? {
        var result: [Int] = []
        var place = drafts[index].superentity
        while let current = place {
            result.append(current.index)
            if result.count > drafts.count { return nil }
            place = drafts[current.index].superentity
        }
        return result
    }

    /// Indices from the root down to the entity itself.
    private func lineage(of index: Int) -> [Int] {
        ((ancestors(of: index) ?? []).reversed()) + [index]
    }

    /// Whether everything that the entity inherits is known.
    private func hasKnownAncestors(_ index: Int) -> Bool {
        guard let ancestors = ancestors(of: index) else { return false }
        return ([index] + ancestors).allSatisfy {
            drafts[$0].superentity != nil || descriptions[$0].superentity == nil
        }
    }

    private mutating func checkInheritedNames() {
        for index in drafts.indices {
            var seen: [StoredText: Int] = [:]
            var count = 0
            for place in lineage(of: index) {
                let description = descriptions[place]
                let names =
                    description.attributes.map(\.name) + description.relationships.map(\.name)
                    + description.fetchedProperties.map(\.name)
                count += description.attributes.reduce(description.relationships.count) {
                    $0 + $1.propertyCount
                }
                for name in names {
                    if let other = seen[StoredText(name)], place == index {
                        let owner = descriptions[other].name
                        mistakes.append(
                            .init(
                                .duplicateName, entity: description.name, property: name,
                                other == index
                                    ? "two properties have this name; rename one."
                                    : "'\(owner)' has a property of this name already; rename it."))
                    }
                    seen[StoredText(name)] = place
                }
            }
            if count > 4096 {
                mistakes.append(
                    .init(
                        .tooLarge, entity: descriptions[index].name,
                        "the entity has more than 4 096 properties; split it."))
            }
        }
    }

    private mutating func checkFetchedProperties() {
        for description in descriptions {
            for property in description.fetchedProperties
            where indexByName[StoredText(property.destination)] == nil {
                mistakes.append(
                    .init(
                        .unknownEntity, entity: description.name, property: property.name,
                        "it fetches objects of '\(property.destination)', which is not in the model; add it."
                    ))
            }
        }
    }

    // MARK: - Relationships

    private mutating func completeInverses() {
        for index in descriptions.indices {
            for place in descriptions[index].relationships.indices {
                completeInverse(of: place, in: index)
            }
        }
        hideInverses()
    }

    /// Gives each relationship without an inverse a hidden one.
    private mutating func hideInverses() {
        for description in descriptions {
            for relationship in description.relationships
            where relationship.inverse == nil && isUnique(description.name)
                && isUnique(relationship.destination)
            {
                guard let target = indexByName[StoredText(relationship.destination)] else {
                    continue
                }
                descriptions[target].relationships.append(
                    relationship.hiddenInverse(owner: description.name))
            }
        }
    }

    private func isUnique(_ entity: String) -> Bool {
        let name = StoredText(entity)
        return indexByName[name] != nil && !ambiguousNames.contains(name)
    }

    private mutating func completeInverse(of place: Int, in index: Int) {
        let owner = descriptions[index].name
        let relationship = descriptions[index].relationships[place]
        guard let target = indexByName[StoredText(relationship.destination)] else {
            mistakes.append(
                .init(
                    .unknownEntity, entity: owner, property: relationship.name,
                    "its destination '\(relationship.destination)' is not in the model; add it."))
            return
        }
        guard let inverse = relationship.inverse, isUnique(relationship.destination) else { return }
        let candidates = descriptions[target].relationships
        guard let other = candidates.firstIndex(where: { sameText($0.name, inverse) }) else {
            mistakes.append(
                .init(
                    .unknownProperty, entity: owner, property: relationship.name,
                    "'\(relationship.destination)' declares no relationship '\(inverse)'; "
                        + "correct the inverse."))
            return
        }
        if !sameText(candidates[other].destination, owner) {
            mistakes.append(
                .init(
                    .invalidInverse, entity: owner, property: relationship.name,
                    "its inverse '\(inverse)' leads to '\(candidates[other].destination)', not back; "
                        + "name the relationship that leads to '\(owner)'."))
        } else if let named = candidates[other].inverse, !sameText(named, relationship.name) {
            mistakes.append(
                .init(
                    .invalidInverse, entity: owner, property: relationship.name,
                    "its inverse '\(inverse)' names '\(named)' as its own inverse; "
                        + "name each other on both sides."))
        } else {
            descriptions[target].relationships[other].inverse = relationship.name
        }
    }

    private func sameText(_ a: String, _ b: String) -> Bool { StoredText(a) == StoredText(b) }

    // MARK: - Slots

    private mutating func layOut() {
        let ids = numberRelationships()
        let families = drafts.map(\.family)
        let declared = declaredRelationships(ids)
        for index in drafts.indices {
            drafts[index].description = descriptions[index]
            var builder = LayoutBuilder(
                ids: ids, families: families, declared: declared, indexByName: indexByName,
                transformers: transformers)
            for place in lineage(of: index) {
                builder.add(descriptions[place], as: EntityID(index: place))
            }
            builder.finish()
            drafts[index].attributes = builder.attributes
            drafts[index].composites = builder.composites
            drafts[index].transientAttributes = builder.transientAttributes
            drafts[index].relationships = builder.toOnes + builder.toManys
            drafts[index].layout = builder.layout
            drafts[index].fetchedProperties = lineage(of: index).flatMap {
                descriptions[$0].fetchedProperties
            }
        }
        let own = drafts.flatMap { draft in
            draft.relationships.filter { $0.declaringEntity == draft.id }
        }
        relationships = own.sorted { $0.id < $1.id }
    }

    private func declaredRelationships(
        _ ids: [RelationshipKey: RelationshipID]
    ) -> [RelationshipID: RelationshipDescription] {
        var declared: [RelationshipID: RelationshipDescription] = [:]
        for (index, description) in descriptions.enumerated() {
            for relationship in description.relationships {
                let key = RelationshipKey(entity: index, name: StoredText(relationship.name))
                if let id = ids[key] { declared[id] = relationship }
            }
        }
        return declared
    }

    /// One number per declared relationship, by entity and then by name.
    private func numberRelationships() -> [RelationshipKey: RelationshipID] {
        var ids: [RelationshipKey: RelationshipID] = [:]
        for (index, description) in descriptions.enumerated() {
            let names = description.relationships.map { StoredText($0.name) }.sorted()
            for name in names {
                ids[RelationshipKey(entity: index, name: name)] = RelationshipID(index: ids.count)
            }
        }
        return ids
    }

    // MARK: - Constraints

    private mutating func checkConstraints() {
        for index in drafts.indices where hasKnownAncestors(index) {
            let lineage = lineage(of: index).map { descriptions[$0] }
            mistakes += ConstraintChecks(lineage: lineage).mistakes
        }
    }

    private mutating func resolveConstraints() {
        for index in drafts.indices {
            let attributes = drafts[index].attributes
            for place in lineage(of: index) {
                for names in descriptions[place].uniquenessConstraints {
                    let slots = names.compactMap { name in
                        attributes.first { sameText($0.name, name) }?.slot
                    }
                    drafts[index].uniquenessConstraints.append(
                        UniquenessConstraint(
                            entity: EntityID(index: place), attributes: names, slots: slots))
                }
            }
        }
    }
}
