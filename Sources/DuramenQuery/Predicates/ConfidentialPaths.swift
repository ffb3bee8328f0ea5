import DuramenModel

/// Which key paths of an entity lead to confidential attributes.
struct ConfidentialPaths {
    private let model: ManagedObjectModel
    /// Nil behind a path that leads nowhere.
    private let entity: Entity?

    init(model: ManagedObjectModel, entity: Entity?) {
        self.model = model
        self.entity = entity
    }

    /// The same for the entity that a path of relationships leads to.
    func following(_ path: some Sequence<String>) -> ConfidentialPaths {
        var entity = entity
        for name in path {
            if case .relationship(let relationship)? = entity?.property(named: name) {
                entity = model[relationship.destination]
            } else {
                entity = nil
            }
        }
        return ConfidentialPaths(model: model, entity: entity)
    }

    /// Whether an expression is a path to a confidential attribute, or to nobody knows what.
    func contain(_ expression: FetchExpression) -> Bool {
        guard case .keyPath(let path) = expression, let last = path.last else { return false }
        return switch following(path.dropLast()).entity?.property(named: last) {
        case .attribute(let attribute)?: attribute.isConfidential
        case .relationship?: false
        case nil: true
        }
    }
}
