/// Whether an entity's own uniqueness constraints and indexes can be kept.
struct ConstraintChecks {
    private(set) var mistakes: [ModelError.Mistake] = []
    private let attributes: Set<StoredText>
    private let composites: Set<StoredText>
    private let transformables: Set<StoredText>
    private let transients: Set<StoredText>
    private let externals: Set<StoredText>
    private let toOnes: Set<StoredText>
    private let toManys: Set<StoredText>
    private let entity: String

    /// - Parameter lineage: The entity's ancestors from the topmost one down, then the entity itself.
    init(lineage: [EntityDescription]) {
        let relationships = lineage.flatMap(\.relationships)
        let all = lineage.flatMap(\.attributes)
        let stored = all.filter { !$0.isTransient }.flatMap { $0.withElements() }
        attributes = Set(
            stored.filter { $0.type != .composite && $0.type != .transformable }.map(\.path))
        composites = Set(stored.filter { $0.type == .composite }.map(\.path))
        transformables = Set(stored.filter { $0.type == .transformable }.map(\.path))
        transients = Set(all.filter(\.isTransient).map { StoredText($0.name) })
        externals = Set(
            all.filter(\.allowsExternalBinaryDataStorage).map { StoredText($0.name) })
        toOnes = Set(relationships.filter { !$0.isToMany }.map { StoredText($0.name) })
        toManys = Set(relationships.filter(\.isToMany).map { StoredText($0.name) })
        entity = lineage.last?.name ?? ""
        for names in lineage.last?.uniquenessConstraints ?? [] { check(names) }
        var seen: Set<StoredText> = []
        for index in lineage.last?.indexes ?? [] {
            check(index)
            if !seen.insert(StoredText(index.name)).inserted {
                note(.duplicateName, index.name, "two indexes have this name; rename one.")
            }
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
                "a uniqueness constraint names an attribute twice; name it once.")
        }
        for key in keys where externals.contains(key) {
            note(.invalidConstraint, title, Self.isExternal(key))
        }
        for key in keys where !attributes.contains(key) {
            if let problem = problem(with: key) {
                note(.invalidConstraint, title, problem)
            } else if toOnes.contains(key) || toManys.contains(key) {
                note(
                    .unsupported, title,
                    "uniqueness over relationships is not supported yet; use attributes.")
            } else {
                note(
                    .unknownProperty, title,
                    "the uniqueness constraint names '\(key)', which is no attribute of the entity; "
                        + "correct it.")
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
        for key in keys where externals.contains(key) {
            note(.invalidConstraint, index.name, Self.isExternal(key))
        }
        for key in keys where !attributes.contains(key) && !toOnes.contains(key) {
            if let problem = problem(with: key) {
                note(.invalidConstraint, index.name, problem)
            } else {
                note(
                    .unknownProperty, index.name,
                    "the index names '\(key)', which is neither an attribute nor a to-one "
                        + "relationship of the entity; correct it.")
            }
        }
    }

    /// Why an attribute that is there cannot be named.
    private func problem(with name: StoredText) -> String? {
        if transients.contains(name) {
            return
                "'\(name)' is transient, so that no store can look at it; name stored attributes only."
        }
        if composites.contains(name) {
            return "'\(name)' is a composite; name its elements, such as '\(name).element'."
        }
        if transformables.contains(name) {
            return "'\(name)' is transformable, and encoded values do not compare; name others."
        }
        return nil
    }

    private static func isExternal(_ name: StoredText) -> String {
        "the values of '\(name)' may stand in files of their own, which no index can hold; take "
            + "allowsExternalBinaryDataStorage or the index away."
    }

    private mutating func note(_ code: ModelError.Code, _ property: String, _ message: String) {
        mistakes.append(.init(code, entity: entity, property: property, message))
    }
}
