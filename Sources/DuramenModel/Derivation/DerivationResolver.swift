/// Resolves the expressions of derived attributes in a model that has passed all checks.
struct DerivationResolver {
    private(set) var derivations: [Derivation] = []
    private let entities: [Entity]

    init(_ entities: [Entity]) {
        self.entities = entities
        for entity in entities {
            for attribute in entity.attributes where attribute.declaringEntity == entity.id {
                guard let expression = attribute.derivation else { continue }
                derivations.append(derivation(of: attribute, expression, in: entity))
            }
        }
    }

    private func derivation(
        of attribute: Attribute, _ expression: DerivationExpression, in start: Entity
    ) -> Derivation {
        var entity = start
        var names = expression.path[...]
        var toOnes: [Relationship] = []
        var members: Relationship?
        while let name = names.first,
            case .relationship(let relationship)? = entity.property(named: name)
        {
            if relationship.isToMany { members = relationship } else { toOnes.append(relationship) }
            entity = entities[relationship.destination.index]
            names.removeFirst()
        }
        var source: Attribute?
        // Elements of composites are named by paths.
        if case .attribute(let found)? = entity.property(named: names.joined(separator: ".")) {
            source = found
        }
        return Derivation(
            attribute: attribute, function: expression.function, toOnes: toOnes, members: members,
            source: source)
    }
}
