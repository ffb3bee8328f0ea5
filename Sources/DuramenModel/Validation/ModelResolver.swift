/// Turns descriptions into drafts: names, inheritance, inverses, slots, constraints, hashes.
///
/// Each step notes its mistakes and continues as far as possible, so that a single run lists all
/// mistakes.
struct ModelResolver {
    private(set) var descriptions: [EntityDescription]
    private(set) var relationships: [Relationship] = []
    private(set) var digestsWithoutReferences: VersionDigests?
    private var mistakes: [ModelError.Mistake] = []
    private var indexByName: [StoredText: Int] = [:]
    // Names of two entities. References to them are not checked, because they are ambiguous.
    private var ambiguousNames: Set<StoredText> = []
    private var drafts: [EntityDraft] = []
    private let transformers: ValueTransformers

    private var hierarchy = Hierarchy(parents: [])
    /// Whether everything that an entity inherits is known, by entity.
    private var isKnown: [Bool] = []

    /// Larger models would fill the memory with the lists of each entity.
    private static let mostInheritedProperties = 1_000_000
    private static let mostLevels = 20_000_000

    init(_ descriptions: [EntityDescription], _ transformers: ValueTransformers) {
        self.transformers = transformers
        self.descriptions = descriptions.sorted { StoredText($0.name) < StoredText($1.name) }
    }

    mutating func resolve(
        _ configurations: [ConfigurationDescription]
    ) throws(ModelError) -> [EntityDraft] {
        checkNames()
        resolveInheritance()
        completeInverses()
        mistakes += PropertyChecks(descriptions, transformers).mistakes
        checkFetchedProperties()
        let properties = DeclaredProperties(descriptions, hierarchy)
        checkInheritedNames(properties)
        checkSizes()
        for index in descriptions.indices where isKnown[index] {
            mistakes += ConstraintChecks(descriptions[index], at: index, properties).mistakes
        }
        mistakes +=
            DerivationChecks(descriptions, properties, isKnown: isKnown) {
                [indexByName, ambiguousNames] name in
                let key = StoredText(name)
                return ambiguousNames.contains(key) ? nil : indexByName[key]
            }.mistakes
        mistakes += ConfigurationChecks(configurations, of: descriptions).mistakes
        try stopIfMistaken()
        layOut()
        resolveConstraints()
        VersionHash.fill(&drafts, parentsFirst: hierarchy.order)
        digestsWithoutReferences = VersionHash.digestsWithoutReferences(
            drafts, parentsFirst: hierarchy.order)
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
        hierarchy = Hierarchy(parents: drafts.map { $0.superentity?.index })
        for index in hierarchy.circular {
            mistakes.append(
                .init(
                    .inheritanceCycle, entity: descriptions[index].name,
                    "the entity is its own ancestor; break the cycle of superentities."))
        }
        isKnown = Array(repeating: false, count: drafts.count)
        for index in hierarchy.order {
            isKnown[index] =
                hierarchy.parents[index].map { isKnown[$0] }
                ?? (descriptions[index].superentity == nil)
        }
        for index in drafts.indices {
            drafts[index].root = EntityID(index: hierarchy.roots[index])
            guard let parent = hierarchy.parents[index] else { continue }
            drafts[parent].subentities.append(drafts[index].id)
        }
    }

    private mutating func checkInheritedNames(_ properties: DeclaredProperties) {
        for (place, name, owner) in properties.repeated {
            mistakes.append(
                .init(
                    .duplicateName, entity: descriptions[place].name, property: name,
                    owner == place
                        ? "two properties have this name; rename one."
                        : "'\(descriptions[owner].name)' has a property of this name already; "
                            + "rename it."))
        }
    }

    private mutating func checkSizes() {
        // The properties and ancestors of each entity, and of all entities.
        var properties = descriptions.map { description in
            description.attributes.reduce(description.relationships.count) {
                $0 + $1.propertyCount
            }
        }
        var levels = [Int](repeating: 0, count: descriptions.count)
        let most = 4096
        for index in hierarchy.order + hierarchy.outside {
            let parent = hierarchy.parents[index]
            let inherited = parent.map { properties[$0] } ?? 0
            properties[index] += inherited
            levels[index] = parent.map { levels[$0] + 1 } ?? 0
            // In a branch that is too large, the topmost entity is the one to split.
            if properties[index] > most, inherited <= most {
                mistakes.append(
                    .init(
                        .tooLarge, entity: descriptions[index].name,
                        "the entity has more than 4 096 properties; split it."))
            }
        }
        if properties.reduce(0, +) > Self.mostInheritedProperties
            || levels.reduce(0, +) > Self.mostLevels
        {
            mistakes.append(
                .init(
                    .tooLarge, entity: "",
                    "the entities have more than 1 000 000 properties in all, with inherited ones "
                        + "counted again, or more than 20 000 000 ancestors. Split the model."
                ))
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

    /// Adds a hidden inverse to each relationship without an inverse.
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
                    "its inverse '\(inverse)' has the destination '\(candidates[other].destination)'; "
                        + "name a relationship whose destination is '\(owner)'."))
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
        fillFamilies()
        // Each entity continues with its parent's layout, which costs nothing if it adds nothing.
        var builders = [LayoutBuilder?](repeating: nil, count: drafts.count)
        let start = LayoutBuilder(
            ids: ids, families: drafts.map(\.family), declared: declaredRelationships(ids),
            indexByName: indexByName, transformers: transformers)
        for index in hierarchy.order {
            let parent = hierarchy.parents[index]
            var builder = parent.flatMap { builders[$0] } ?? start
            builder.add(descriptions[index], as: EntityID(index: index))
            builders[index] = builder
            builder.finish()
            drafts[index].description = descriptions[index]
            drafts[index].attributes = builder.attributes
            drafts[index].composites = builder.composites
            drafts[index].transientAttributes = builder.transientAttributes
            drafts[index].relationships = builder.toOnes + builder.toManys
            drafts[index].layout = builder.layout
            drafts[index].fetchedProperties =
                (parent.map { drafts[$0].fetchedProperties } ?? [])
                + descriptions[index].fetchedProperties
        }
        let own = drafts.flatMap { draft in
            draft.relationships.filter { $0.declaringEntity == draft.id }
        }
        relationships = own.sorted { $0.id < $1.id }
    }

    /// Sets the family of each entity: itself and all its sub-entities, in ascending order.
    private mutating func fillFamilies() {
        var families = [[EntityID]](repeating: [], count: drafts.count)
        for index in drafts.indices {
            families[index].reserveCapacity(hierarchy.branch(of: index).count)
        }
        for index in drafts.indices {
            var place: Int? = index
            while let ancestor = place {
                families[ancestor].append(EntityID(index: index))
                place = hierarchy.parents[ancestor]
            }
        }
        for index in drafts.indices { drafts[index].family = families[index] }
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

    /// Returns one number for each declared relationship, by entity and then by name.
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

    private mutating func resolveConstraints() {
        for index in hierarchy.order {
            // Inherited properties keep their slots of the parent.
            if let parent = hierarchy.parents[index] {
                drafts[index].uniquenessConstraints = drafts[parent].uniquenessConstraints
            }
            let constraints = descriptions[index].uniquenessConstraints
            if constraints.isEmpty { continue }
            var slots: [StoredText: Int] = [:]
            for attribute in drafts[index].attributes {
                slots[StoredText(attribute.name)] = attribute.slot
            }
            for relationship in drafts[index].relationships where !relationship.isHidden {
                slots[StoredText(relationship.name)] = relationship.slot
            }
            for names in constraints {
                drafts[index].uniquenessConstraints.append(
                    UniquenessConstraint(
                        entity: EntityID(index: index), properties: names,
                        slots: names.compactMap { slots[StoredText($0)] }))
            }
        }
    }
}
