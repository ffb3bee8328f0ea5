import DuramenModel
import Foundation

/// Says an archived model in the words of ``EntityDescription``, and notes what it cannot say.
///
/// Every decision is one function here; a feature that models learn takes one away.
struct ModelTranslation {
    private(set) var descriptions: [EntityDescription] = []
    private(set) var findings: [StoredModelFinding] = []
    private let entities: [ArchivedEntity]
    /// The place of each entity by its name.
    private var places: [StoredText: Int] = [:]
    /// The relationships that each entity declares itself, by the entity's place.
    private var ownRelationships: [[ArchivedRelationship]] = []

    init(_ model: ArchivedModel) {
        entities = model.entities
        for (place, entity) in entities.enumerated() { places[StoredText(entity.name)] = place }
        ownRelationships = entities.map { entity in
            let inherited = inheritedNames(entity)
            return entity.relationships.filter {
                !inherited.contains(StoredText($0.property.name))
            }
        }
        for place in entities.indices { descriptions.append(description(of: place)) }
        for place in entities.indices { addRelationships(of: place) }
        for place in entities.indices { addConstraints(of: place) }
    }

    /// The properties of the parent, which lists those that it inherits too.
    private func inheritedNames(_ entity: ArchivedEntity) -> Set<StoredText> {
        guard let name = entity.superentity, let place = places[StoredText(name)] else { return [] }
        let parent = entities[place]
        return Set(
            (parent.attributes.map(\.property.name) + parent.relationships.map(\.property.name)
                + parent.fetchedProperties).map { StoredText($0) })
    }

    private mutating func note(_ entity: String, _ property: String?, _ message: String) {
        findings.append(
            StoredModelFinding(entity: entity, property: property, message: message))
    }

    // MARK: - Entities and attributes

    private mutating func description(of place: Int) -> EntityDescription {
        let entity = entities[place]
        let inherited = inheritedNames(entity)
        var description = EntityDescription(
            name: entity.name, superentity: entity.superentity, isAbstract: entity.isAbstract,
            renamingIdentifier: entity.renamingIdentifier,
            versionHashModifier: entity.versionHashModifier, userInfo: entity.userInfo)
        for attribute in entity.attributes
        where !inherited.contains(StoredText(attribute.property.name)) {
            if let made = self.description(of: attribute, in: entity.name) {
                description.attributes.append(made)
            }
        }
        for name in entity.fetchedProperties where !inherited.contains(StoredText(name)) {
            note(entity.name, name, "fetched property; left out")
        }
        return description
    }

    private mutating func description(
        of attribute: ArchivedAttribute, in entity: String
    ) -> AttributeDescription? {
        let property = attribute.property
        var type = attribute.type
        if property.isTransient {
            // Nothing of it is in the file, so that any type will do.
            if !AttributeType.supported.contains(type) { type = .undefined }
        } else if type == .transformable {
            note(entity, property.name, "transformable; read as binary data as it is stored")
            type = .binaryData
        } else if !AttributeType.supported.contains(type) {
            note(entity, property.name, "of type \(type); left out")
            return nil
        }
        if attribute.isDerived {
            note(entity, property.name, "derived; read as it is stored")
        }
        var description = AttributeDescription(
            property.name, type, isOptional: property.isOptional,
            isTransient: property.isTransient,
            allowsExternalBinaryDataStorage: attribute.isExternal && type == .binaryData
                && !property.isTransient,
            preservesValueInHistoryOnDeletion: attribute.isPreservedOnDeletion,
            renamingIdentifier: property.renamingIdentifier,
            versionHashModifier: property.versionHashModifier, userInfo: property.userInfo)
        if type == attribute.type, type != .undefined {
            if let value = attribute.defaultValue.stored(as: type),
                type.problem(with: value) == nil
            {
                description.defaultValue = value
            } else {
                note(entity, property.name, "its default value does not fit \(type); left out")
            }
        }
        return description
    }

    // MARK: - Relationships

    private mutating func addRelationships(of place: Int) {
        let owner = entities[place].name
        for relationship in ownRelationships[place] {
            let name = relationship.property.name
            guard places[StoredText(relationship.destination)] != nil else {
                note(
                    owner, name,
                    "leads to '\(relationship.destination)', which the model lacks; left out")
                continue
            }
            if relationship.property.isTransient {
                note(owner, name, "transient; left out")
                continue
            }
            let hasInverse = hasInverse(relationship, owner: place)
            if let inverse = relationship.inverse, !hasInverse {
                // Where the pairs of such a to-many would be, no rule foretells.
                let outcome = relationship.isToMany ? "left out" : "read as one without"
                note(owner, name, "its inverse '\(inverse)' does not lead back; \(outcome)")
                if relationship.isToMany { continue }
            }
            let inverse = hasInverse ? relationship.inverse : nil
            if relationship.isToMany {
                var made = RelationshipDescription.toMany(
                    relationship, destination: relationship.destination, inverse: inverse)
                let maximum = relationship.maximumCount > 0 ? relationship.maximumCount : nil
                if relationship.minimumCount >= 0,
                    maximum ?? .max >= max(relationship.minimumCount, 1)
                {
                    made.minimumCount = relationship.minimumCount
                    made.maximumCount = maximum
                } else {
                    note(owner, name, "its counts contradict each other; left out")
                }
                descriptions[place].relationships.append(made)
            } else {
                descriptions[place].relationships.append(
                    .toOne(relationship, destination: relationship.destination, inverse: inverse))
            }
        }
    }

    /// Whether two relationships name each other, which is how models here are made.
    private func hasInverse(_ relationship: ArchivedRelationship, owner: Int) -> Bool {
        guard let name = relationship.inverse,
            let target = places[StoredText(relationship.destination)],
            let back = ownRelationships[target].first(where: {
                StoredText($0.property.name) == StoredText(name)
            }),
            let backName = back.inverse
        else { return false }
        let own = StoredText(relationship.property.name)
        return !back.property.isTransient && StoredText(backName) == own
            && StoredText(back.destination) == StoredText(entities[owner].name)
    }

    // MARK: - Constraints and indexes

    private mutating func addConstraints(of place: Int) {
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
            guard !keys.isEmpty, Set(keys).count == keys.count,
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

extension RelationshipDescription {
    fileprivate static func toOne(
        _ archived: ArchivedRelationship, destination: String, inverse: String?
    ) -> RelationshipDescription {
        .toOne(
            archived.property.name, destination: destination,
            isOptional: archived.property.isOptional, deleteRule: archived.deleteRule,
            inverse: inverse, renamingIdentifier: archived.property.renamingIdentifier,
            versionHashModifier: archived.property.versionHashModifier,
            userInfo: archived.property.userInfo)
    }

    fileprivate static func toMany(
        _ archived: ArchivedRelationship, destination: String, inverse: String?
    ) -> RelationshipDescription {
        .toMany(
            archived.property.name, destination: destination,
            isOptional: archived.property.isOptional, deleteRule: archived.deleteRule,
            inverse: inverse, isOrdered: archived.isOrdered,
            renamingIdentifier: archived.property.renamingIdentifier,
            versionHashModifier: archived.property.versionHashModifier,
            userInfo: archived.property.userInfo)
    }
}

extension ArchivedValue {
    /// The value as an attribute of a type holds it; nil when it is of another kind.
    fileprivate func stored(as type: AttributeType) -> StoredValue? {
        switch (type, self) {
        case (_, .none): .null
        case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
            (.integer64, .integer(let number)):
            .integer(number)
        case (.integer16, .real(let number)), (.integer32, .real(let number)),
            (.integer64, .real(let number)):
            Int64(exactly: number).map { .integer($0) }
        case (.boolean, .integer(let number)): .boolean(number != 0)
        case (.double, .integer(let number)), (.float, .integer(let number)):
            .double(Double(number))
        case (.double, .real(let number)), (.float, .real(let number)): .double(number)
        case (.decimal, .integer(let number)): .decimal(Decimal(number))
        case (.decimal, .real(let number)):
            number.isFinite ? .decimal(Decimal(number)) : nil
        case (.decimal, .decimal(let number)): .decimal(number)
        case (.double, .decimal(let number)), (.float, .decimal(let number)):
            .double(NSDecimalNumber(decimal: number).doubleValue)
        case (.string, .text(let text)): .text(StoredText(text))
        case (.date, .date(let seconds)):
            .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.binaryData, .data(let data)): .binary(data)
        case (.uuid, .uuid(let identifier)): .uuid(identifier)
        case (.uri, .uri(let text)): .uri(StoredText(text))
        default: nil
        }
    }
}
