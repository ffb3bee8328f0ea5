extension ForeignModelTranslation {
    mutating func addRelationships(of place: Int) {
        let owner = entities[place].name
        for relationship in entities[place].relationships {
            let name = relationship.property.name
            guard places[StoredText(relationship.destination)] != nil else {
                note(
                    owner, name,
                    "has the destination '\(relationship.destination)', which the model lacks; left out"
                )
                continue
            }
            if relationship.property.isTransient {
                addTransient(relationship, to: place)
                continue
            }
            let hasInverse = hasInverse(relationship, owner: place)
            if let inverse = relationship.inverse, !hasInverse {
                // No documented rule says where Core Data would store the pairs of such a to-many.
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

    /// Adds a transient relationship as a transient attribute, whose values are objects.
    private mutating func addTransient(_ relationship: ForeignRelationship, to place: Int) {
        let property = relationship.property
        descriptions[place].attributes.append(
            AttributeDescription(
                property.name, .undefined,
                // A to-many may be empty.
                isOptional: property.isOptional || relationship.isToMany, isTransient: true,
                renamingIdentifier: property.renamingIdentifier,
                versionHashModifier: property.versionHashModifier, userInfo: property.userInfo))
    }

    /// Returns whether two relationships name each other, as a model here requires.
    private func hasInverse(_ relationship: ForeignRelationship, owner: Int) -> Bool {
        guard let name = relationship.inverse,
            let target = places[StoredText(relationship.destination)],
            let back = entities[target].relationships.first(where: {
                StoredText($0.property.name) == StoredText(name)
            }),
            let backName = back.inverse
        else { return false }
        let own = StoredText(relationship.property.name)
        return !back.property.isTransient && StoredText(backName) == own
            && StoredText(back.destination) == StoredText(entities[owner].name)
    }
}

extension RelationshipDescription {
    fileprivate static func toOne(
        _ foreign: ForeignRelationship, destination: String, inverse: String?
    ) -> RelationshipDescription {
        .toOne(
            foreign.property.name, destination: destination,
            isOptional: foreign.property.isOptional, deleteRule: foreign.deleteRule,
            inverse: inverse, renamingIdentifier: foreign.property.renamingIdentifier,
            versionHashModifier: foreign.property.versionHashModifier,
            userInfo: foreign.property.userInfo)
    }

    fileprivate static func toMany(
        _ foreign: ForeignRelationship, destination: String, inverse: String?
    ) -> RelationshipDescription {
        .toMany(
            foreign.property.name, destination: destination,
            isOptional: foreign.property.isOptional, deleteRule: foreign.deleteRule,
            inverse: inverse, isOrdered: foreign.isOrdered,
            renamingIdentifier: foreign.property.renamingIdentifier,
            versionHashModifier: foreign.property.versionHashModifier,
            userInfo: foreign.property.userInfo)
    }
}
