import DuramenModel

/// A small model with everything once, which is edited into later versions.
struct MigrationModel {
    private var entities: [EntityDescription] = [
        EntityDescription(
            name: "Person",
            attributes: [
                AttributeDescription("name", .string),
                AttributeDescription("age", .integer32, isOptional: true),
                AttributeDescription("note", .string, isOptional: true),
                AttributeDescription("remark", .string, isOptional: true),
            ],
            relationships: [
                .toOne("boss", destination: "Person", inverse: "reports"),
                .toMany("reports", destination: "Person", isOrdered: true),
                .toOne("home", destination: "Place", inverse: "residents"),
                .toOne("garden", destination: "Villa", inverse: "gardeners"),
                .toMany("tags", destination: "Tag", inverse: "people", isOrdered: true),
            ]),
        EntityDescription(
            name: "Child", superentity: "Person",
            attributes: [AttributeDescription("school", .string, isOptional: true)]),
        EntityDescription(
            name: "Place", attributes: [AttributeDescription("title", .string)],
            relationships: [.toMany("residents", destination: "Person")]),
        EntityDescription(
            name: "Villa", superentity: "Place",
            relationships: [.toMany("gardeners", destination: "Person")]),
        EntityDescription(
            name: "Tag", attributes: [AttributeDescription("word", .string)],
            relationships: [.toMany("people", destination: "Person")]),
    ]

    /// Returns an entity by its name.
    subscript(name: String) -> EntityDescription {
        get {
            guard let entity = entities.first(where: { $0.name == name }) else {
                preconditionFailure("The model has no entity '\(name)'.")
            }
            return entity
        }
        set {
            if let place = entities.firstIndex(where: { $0.name == name }) {
                entities[place] = newValue
            } else {
                entities.append(newValue)
            }
        }
    }

    /// Removes an entity.
    mutating func remove(_ name: String) { entities.removeAll { $0.name == name } }

    /// Returns the version with all edits so far.
    func model() throws -> ManagedObjectModel { try ManagedObjectModel(entities) }

    /// The version before all edits.
    static let first: ManagedObjectModel = {
        do {
            return try MigrationModel().model()
        } catch {
            preconditionFailure("The model has mistakes: \(error)")
        }
    }()
}

extension EntityDescription {
    /// Changes an attribute.
    mutating func change(
        _ attribute: String, _ edit: (inout AttributeDescription) -> Void
    ) {
        for place in attributes.indices where attributes[place].name == attribute {
            edit(&attributes[place])
        }
    }

    /// Renames an attribute, with a renaming identifier.
    mutating func rename(_ attribute: String, to name: String, identifier: String) {
        change(attribute) {
            $0.name = name
            $0.renamingIdentifier = identifier
        }
    }

    /// Changes a relationship.
    mutating func changeRelationship(
        _ relationship: String, _ edit: (inout RelationshipDescription) -> Void
    ) {
        for place in relationships.indices where relationships[place].name == relationship {
            edit(&relationships[place])
        }
    }
}
