/// Looks up what derived attributes are computed from, and says what cannot be.
struct DerivationResolver {
    private(set) var derivations: [Derivation] = []
    private var mistakes: [ModelError.Mistake] = []
    private let entities: [Entity]

    init(_ entities: [Entity]) throws(ModelError) {
        self.entities = entities
        for entity in entities {
            for attribute in entity.attributes where attribute.declaringEntity == entity.id {
                if let expression = attribute.derivation { resolve(attribute, expression, entity) }
            }
        }
        if !mistakes.isEmpty { throw ModelError(mistakes: mistakes) }
    }

    private mutating func resolve(
        _ attribute: Attribute, _ expression: DerivationExpression, _ entity: Entity
    ) {
        switch find(expression, from: entity) {
        case .success(let place):
            if let problem = Self.problem(attribute, expression.function, place) {
                return note(attribute, entity, "it is derived from '\(expression)', but " + problem)
            }
            derivations.append(
                Derivation(
                    attribute: attribute, function: expression.function, toOnes: place.toOnes,
                    members: place.members, source: place.source))
        case .failure(let problem):
            note(
                attribute, entity, "it is derived from '\(expression)', but " + problem.description)
        }
    }

    // MARK: - Paths

    private struct Place {
        var toOnes: [Relationship] = []
        var members: Relationship?
        var source: Attribute?
    }

    private struct Problem: Error {
        let description: String
    }

    private func find(
        _ expression: DerivationExpression, from start: Entity
    ) -> Result<Place, Problem> {
        var place = Place()
        var entity = start
        var names = expression.path[...]
        switch expression.function {
        case .now: return .success(place)
        case .count, .sum:
            let name = names.removeFirst()
            guard case .relationship(let relationship)? = entity.property(named: name),
                relationship.isToMany
            else {
                return .failure(
                    Problem(description: "'\(name)' is no to-many of '\(entity.name)'; name one."))
            }
            place.members = relationship
            entity = entities[relationship.destination.index]
            if expression.function == .count {
                return names.isEmpty
                    ? .success(place)
                    : .failure(
                        Problem(
                            description: "only what a to-many of the entity itself leads to is "
                                + "counted; end the path behind '\(name)'."))
            }
        case .copy, .uppercase, .lowercase, .canonical, .localized:
            while let name = names.first, names.count > 1,
                case .relationship(let relationship)? = entity.property(named: name),
                !relationship.isToMany
            {
                place.toOnes.append(relationship)
                entity = entities[relationship.destination.index]
                names.removeFirst()
            }
        }
        // Elements of composites are named by paths.
        let path = names.joined(separator: ".")
        guard case .attribute(let source)? = entity.property(named: path) else {
            return .failure(
                Problem(
                    description:
                        "'\(path)' is no stored attribute of '\(entity.name)', and the way to it "
                        + "leads through to-ones only; correct the path."))
        }
        place.source = source
        return .success(place)
    }

    // MARK: - Types

    private static func problem(
        _ attribute: Attribute, _ function: DerivationExpression.Function, _ place: Place
    ) -> String? {
        if let source = place.source, source.derivation != nil {
            return "'\(source.name)' is derived itself; name what that is derived from."
        }
        switch function {
        case .now:
            return attribute.kind == .date ? nil : "is no date; make it one."
        case .count:
            return attribute.kind == .integer ? nil : "counts are integers; make it one."
        case .uppercase, .lowercase, .canonical, .localized:
            guard attribute.kind == .text, place.source?.kind == .text else {
                return "only text is changed so; make it and what it is derived from strings."
            }
            return nil
        case .sum:
            guard let kind = place.source?.kind, kind == attribute.kind, kind.isNumber else {
                return "a sum is a number of the kind that is summed; give both the same type."
            }
            return nil
        case .copy:
            guard let source = place.source, source.kind == attribute.kind,
                source.codableType == attribute.codableType
            else { return "that is of another type; give both the same one." }
            return nil
        }
    }

    private mutating func note(_ attribute: Attribute, _ entity: Entity, _ message: String) {
        mistakes.append(
            .init(
                .invalidDerivation, entity: entity.name, property: attribute.name, message))
    }
}

extension SlotKind {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .double, .float, .decimal: true
        default: false
        }
    }
}
