import DuramenModel

/// Which key paths of an entity lead to confidential attributes.
struct ConfidentialPaths {
    private let model: ManagedObjectModel
    /// Nil behind a path that leads nowhere.
    private let entity: Entity?
    /// What the variables of the subqueries around lead to.
    private var variables: [String: Entity] = [:]

    init(model: ManagedObjectModel, entity: Entity?) {
        self.model = model
        self.entity = entity
    }

    /// The same for the entity that a path of relationships leads to.
    func following(_ path: some Sequence<String>) -> ConfidentialPaths {
        ConfidentialPaths(model: model, entity: end(of: path, from: entity))
    }

    /// The same within a subquery.
    func binding(_ variable: String, to collection: FetchExpression) -> ConfidentialPaths {
        var copy = self
        copy.variables[variable] = end(of: collection)
        return copy
    }

    /// Whether an expression reads a confidential attribute, or nobody knows what.
    ///
    /// It works with a stack of its own, since nobody has checked how deep the expression is.
    func contain(_ expression: FetchExpression) -> Bool {
        var waiting = [expression]
        while let next = waiting.popLast() {
            switch next {
            case .keyPath(let path): if isSecret(path, from: entity) { return true }
            case .property(.variable(let name), let path):
                if isSecret(path, from: variables[name]) { return true }
            case .anyKey:
                guard let entity, !entity.attributes.contains(where: \.isConfidential) else {
                    return true
                }
            case .property: return true
            default: waiting += next.operands
            }
        }
        return false
    }

    private func isSecret(_ path: [String], from entity: Entity?) -> Bool {
        guard let last = path.last else { return false }
        switch end(of: path.dropLast(), from: entity)?.property(named: last) {
        case .attribute(let attribute)?: return attribute.isConfidential
        case .relationship?: return false
        case nil: return true
        }
    }

    private func end(of collection: FetchExpression) -> Entity? {
        switch collection {
        case .selfObject: entity
        case .keyPath(let path): end(of: path, from: entity)
        case .property(.variable(let name), let path): end(of: path, from: variables[name])
        default: nil
        }
    }

    private func end(of path: some Sequence<String>, from start: Entity?) -> Entity? {
        var entity = start
        for name in path {
            if case .relationship(let relationship)? = entity?.property(named: name) {
                entity = model[relationship.destination]
            } else {
                entity = nil
            }
        }
        return entity
    }
}
