import DuramenModel

/// Which key paths of an entity lead to confidential attributes.
struct ConfidentialPaths {
    /// What a variable of a subquery stands for.
    private enum Meaning {
        case object(Entity)
        case value(isSecret: Bool)
    }

    private let model: ManagedObjectModel
    /// Nil behind a path that leads nowhere.
    private let entity: Entity?
    /// The variables of the subqueries around. What an assignment gives, nobody knows here.
    private var variables: [String: Meaning] = [:]

    init(model: ManagedObjectModel, entity: Entity?) {
        self.model = model
        self.entity = entity
    }

    /// The same for the entity that a path of relationships leads to.
    func following(_ path: [String]) -> ConfidentialPaths {
        var copy = ConfidentialPaths(model: model, entity: end(of: path, from: entity))
        copy.variables = variables
        return copy
    }

    /// The same within a subquery.
    func binding(_ variable: String, to collection: FetchExpression) -> ConfidentialPaths {
        var copy = self
        copy.variables[variable] =
            end(of: collection).map { .object($0) } ?? .value(isSecret: contain(collection))
        return copy
    }

    /// Whether an expression reads a confidential attribute, or nobody knows what.
    ///
    /// It works with a stack of its own, since nobody has checked how deep the expression is.
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

    /// The entity of the objects that an expression leads to; nil when they are none.
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
