import DuramenModel

/// A key path with its names resolved in the model.
struct ResolvedKeyPath: Sendable {
    /// The last step of the path.
    enum Last: Sendable {
        case attribute(Attribute)
        case toOne(BoundReference)
        case toMany(Relationship)
    }

    /// The to-ones before the last step.
    var steps: [BoundReference]
    var last: Last
}

/// Finds the properties of key paths.
struct KeyPathResolver {
    let model: ManagedObjectModel
    let entity: Entity

    /// The maximum number of steps of a key path.
    static let longestPath = 128

    func resolve(_ names: [String]) throws(FetchPredicateError) -> ResolvedKeyPath {
        guard let name = names.last else {
            throw FetchPredicateError(
                .invalidKeyPath, entity: entity.name,
                "A key path is empty. Name a property, or compare the object itself.")
        }
        try checkLength(of: names)
        var steps: [BoundReference] = []
        var current = entity
        for step in names.dropLast() {
            let reference = try toOne(step, of: current, names)
            steps.append(reference)
            current = model[reference.relationship.destination]
        }
        let last: ResolvedKeyPath.Last
        switch try property(name, of: current, names) {
        case .attribute(let attribute): last = .attribute(attribute)
        case .relationship(let relationship):
            if let reference = BoundReference(relationship, of: current, in: model) {
                last = .toOne(reference)
            } else {
                last = .toMany(relationship)
            }
        }
        return ResolvedKeyPath(steps: steps, last: last)
    }

    func checkLength(of names: [String]) throws(FetchPredicateError) {
        if names.isTooLong {
            throw FetchPredicateError(
                .tooComplex, entity: entity.name, PredicateSize.Excess.path.message)
        }
    }

    private func toOne(
        _ name: String, of owner: Entity, _ path: [String]
    ) throws(FetchPredicateError) -> BoundReference {
        switch try property(name, of: owner, path) {
        case .attribute: throw attributeInside(name, of: owner, path)
        case .relationship(let relationship):
            if let reference = BoundReference(relationship, of: owner, in: model) {
                return reference
            }
            throw FetchPredicateError(
                .invalidKeyPath, entity: entity.name,
                "'\(path.joinedPath)' goes through the to-many '\(name)' of \(owner.name). "
                    + "Ask its objects with any, all or none.")
        }
    }

    func attributeInside(
        _ name: String, of owner: Entity, _ path: [String]
    ) -> FetchPredicateError {
        FetchPredicateError(
            .invalidKeyPath, entity: entity.name,
            "'\(path.joinedPath)' goes on after the attribute '\(name)' of \(owner.name). "
                + "Let the path end there.")
    }

    func property(
        _ name: String, of owner: Entity, _ path: [String]
    ) throws(FetchPredicateError) -> Property {
        if let property = owner.property(named: name) { return property }
        if ClosureSubject.isMarked([name]) {
            throw FetchPredicateError(
                .unknownProperty, entity: entity.name,
                "A path comes from the closure of another predicate, which has ended. Use what a "
                    + "closure is given within that closure.")
        }
        if let swiftKeyPath = UnmanagedKeyPath.description(of: name) {
            throw FetchPredicateError(
                .unknownProperty, entity: entity.name,
                "The Swift key path '\(swiftKeyPath)' is not a managed property of \(owner.name). "
                    + "Declare it as an attribute or relationship, or name another property.")
        }
        if owner.transientAttribute(named: name) != nil {
            throw FetchPredicateError(
                .invalidKeyPath, entity: entity.name,
                "'\(path.joinedPath)': '\(name)' of \(owner.name) is transient, and no store keeps it. "
                    + "Filter or sort the fetched objects instead.")
        }
        if owner.composite(named: name) != nil {
            throw FetchPredicateError(
                .invalidKeyPath, entity: entity.name,
                "'\(path.joinedPath)': '\(name)' of \(owner.name) is a composite, which compares with "
                    + "nil only. Name its elements.")
        }
        throw FetchPredicateError(
            .unknownProperty, entity: entity.name,
            "'\(path.joinedPath)': \(owner.name) has no property '\(name)'. "
                + remedy(for: name, of: owner, path))
    }

    private func remedy(for name: String, of owner: Entity, _ path: [String]) -> String {
        if name == "objectID", path.last == name {
            let before = path.dropLast()
            return before.isEmpty
                ? "To compare object IDs write SELF: SELF == %@, or SELF IN %@."
                : "To compare the ID of a related object write the relationship alone: "
                    + "\(Array(before).joinedPath) == %@."
        }
        let heir = owner.family.map { model[$0] }
            .first { $0 != owner && $0.property(named: name) != nil }
        if let heir {
            return "Only its sub-entity \(heir.name) has it: fetch objects of \(heir.name)."
        }
        return NearestName.question(name, among: owner.storedPropertyNames)
            + "Correct the name, or add the property to the model."
    }
}

extension [String] {
    /// Whether a key path has more than the maximum of 128 steps. Check it before a recursion along
    /// the path.
    package var isTooLong: Bool { count > KeyPathResolver.longestPath }

    /// The names joined by dots, for messages.
    var joinedPath: String {
        map { UnmanagedKeyPath.description(of: $0) ?? $0 }.joined(separator: ".")
    }
}
