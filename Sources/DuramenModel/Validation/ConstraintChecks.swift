/// Checks whether stores can keep an entity's own uniqueness constraints and indexes.
struct ConstraintChecks {
    private(set) var mistakes: [ModelError.Mistake] = []
    private let properties: DeclaredProperties
    private let place: Int
    private let entity: String

    /// The kind of property that a constraint or an index names.
    private enum Meaning: Equatable {
        case attribute, external, composite, transformable, transient, toOne, toMany, nothing
    }

    /// Checks the constraints and indexes of an entity.
    ///
    /// - Parameters:
    ///   - description: The entity.
    ///   - place: The entity's place among the entities of the model.
    ///   - properties: The properties of the whole model.
    init(_ description: EntityDescription, at place: Int, _ properties: DeclaredProperties) {
        self.properties = properties
        self.place = place
        entity = description.name
        for names in description.uniquenessConstraints { check(names) }
        var seen: Set<StoredText> = []
        for index in description.indexes {
            check(index)
            if !seen.insert(StoredText(index.name)).inserted {
                note(.duplicateName, index.name, "two indexes have this name; rename one.")
            }
        }
    }

    private func meaning(of name: StoredText) -> Meaning {
        switch properties.declaration(of: name, in: place)?.kind {
        case .attribute(let attribute):
            if attribute.isTransient { return .transient }
            if attribute.allowsExternalBinaryDataStorage { return .external }
            if attribute.type == .composite { return .composite }
            return attribute.type == .transformable ? .transformable : .attribute
        case .relationship(let relationship): return relationship.isToMany ? .toMany : .toOne
        case .fetchedProperty, nil: return .nothing
        }
    }

    private mutating func check(_ names: [String]) {
        let keys = names.map { StoredText($0) }
        let title = names.joined(separator: ", ")
        if names.isEmpty {
            note(.invalidConstraint, title, "a uniqueness constraint names nothing; remove it.")
        } else if Set(keys).count < keys.count {
            note(
                .invalidConstraint, title,
                "a uniqueness constraint names a property twice; name it once.")
        }
        for key in keys {
            let meaning = meaning(of: key)
            if let problem = Self.problem(with: key, meaning) {
                note(.invalidConstraint, title, problem)
            } else if meaning == .nothing || meaning == .toMany {
                note(
                    .unknownProperty, title,
                    "the uniqueness constraint names '\(key)', which is neither an attribute nor a "
                        + "to-one relationship of the entity; correct it.")
            }
        }
    }

    private mutating func check(_ index: IndexDescription) {
        let keys = index.elements.map { StoredText($0.property) }
        if keys.isEmpty {
            note(.invalidConstraint, index.name, "the index names nothing; remove it.")
        } else if Set(keys).count < keys.count {
            note(
                .invalidConstraint, index.name, "the index names a property twice; name it once.")
        }
        for key in keys {
            let meaning = meaning(of: key)
            if let problem = Self.problem(with: key, meaning) {
                note(.invalidConstraint, index.name, problem)
            } else if meaning == .nothing || meaning == .toMany {
                note(
                    .unknownProperty, index.name,
                    "the index names '\(key)', which is neither an attribute nor a to-one "
                        + "relationship of the entity; correct it.")
            }
        }
    }

    /// Returns why an existing attribute cannot be named; nil if it can.
    private static func problem(with name: StoredText, _ meaning: Meaning) -> String? {
        switch meaning {
        case .transient:
            "'\(name)' is transient, so that no store can look at it; name stored attributes only."
        case .composite:
            "'\(name)' is a composite; name its elements, such as '\(name).element'."
        case .transformable:
            "'\(name)' is transformable, and encoded values do not compare; name others."
        case .external:
            "the values of '\(name)' may stand in files of their own, which no index can hold; take "
                + "allowsExternalBinaryDataStorage or the index away."
        case .attribute, .toOne, .toMany, .nothing: nil
        }
    }

    private mutating func note(_ code: ModelError.Code, _ property: String, _ message: String) {
        mistakes.append(.init(code, entity: entity, property: property, message))
    }
}
