import DuramenModel

/// Finds the key paths of an entity that end in confidential attributes.
struct ConfidentialPaths {
    /// The meaning of a subquery's variable.
    private enum Meaning {
        case object(Entity)
        case value(isSecret: Bool)
    }

    private let model: ManagedObjectModel
    /// Nil after an invalid path.
    private let entity: Entity?
    /// The variables of the enclosing subqueries. Assigned values are unknown here.
    private var variables: [String: Meaning] = [:]

    init(model: ManagedObjectModel, entity: Entity?) {
        self.model = model
        self.entity = entity
    }

    /// Returns the paths of the entity at the end of a path of relationships.
    func following(_ path: [String]) -> ConfidentialPaths {
        var copy = ConfidentialPaths(model: model, entity: end(of: path, from: entity))
        copy.variables = variables
        return copy
    }

    /// Returns the paths within a subquery.
    func binding(_ variable: String, to collection: FetchExpression) -> ConfidentialPaths {
        var copy = self
        copy.variables[variable] =
            end(of: collection).map { .object($0) } ?? .value(isSecret: contain(collection))
        return copy
    }

    /// Returns whether an expression uses a confidential attribute, or something unknown.
    ///
    /// It uses its own stack, since the depth of the expression is not checked yet.
    func contain(_ expression: FetchExpression) -> Bool {
        var waiting = [expression]
        while let next = waiting.popLast() {
            switch next.form {
            case .keyPath(let path): if isSecret(path, from: entity) { return true }
            case .variable(let name):
                switch variables[name] {
                case .object?: break
                case .value(let isSecret)?: if isSecret { return true }
                case nil: return true
                }
            case .property(let base, let path):
                if isSecret(path, from: end(of: base)) { return true }
            case .anyKey:
                guard let entity, !entity.attributes.contains(where: \.isConfidential) else {
                    return true
                }
            default: waiting += next.operands
            }
        }
        return false
    }

    private func isSecret(_ path: [String], from start: Entity?) -> Bool {
        guard let start else { return true }
        let end = ModelPath(path, from: start, in: model)
        if let attribute = end.attribute {
            return attribute.isConfidential || !end.rest.isEmpty && end.rest != ["length"]
        }
        if let composite = end.composite {
            return composite.attributes.contains(where: \.isConfidential)
        }
        return end.entity == nil
    }

    /// Returns the entity of the objects of an expression; nil if they are not objects.
    private func end(of expression: FetchExpression) -> Entity? {
        var expression = expression
        while case .subquery(let collection, _, _) = expression.form { expression = collection }
        switch expression.form {
        case .selfObject: return entity
        case .keyPath(let path): return end(of: path, from: entity)
        case .variable(let name): return object(name)
        case .property(let base, let path):
            if base == .selfObject { return end(of: path, from: entity) }
            return base.variableName.flatMap { end(of: path, from: object($0)) }
        default: return nil
        }
    }

    private func object(_ variable: String) -> Entity? {
        if case .object(let entity)? = variables[variable] { entity } else { nil }
    }

    private func end(of path: [String], from start: Entity?) -> Entity? {
        start.flatMap { ModelPath(path, from: $0, in: model).entity }
    }
}
