import DuramenModel
import DuramenQuery

// ANYKEY means the attributes of the query's entity, even for objects of sub-entities.
extension PlainEvaluation {
    func withoutAnyKey(_ predicate: FetchPredicate, of entity: Entity) -> FetchPredicate {
        switch predicate.form {
        case .constant: return predicate
        case .not(let part): return .not(withoutAnyKey(part, of: entity))
        case .and(let parts): return .and(parts.map { withoutAnyKey($0, of: entity) })
        case .or(let parts): return .or(parts.map { withoutAnyKey($0, of: entity) })
        case .quantified(let quantifier, let path, let part):
            let destination = destination(of: path, from: entity)
            return .quantified(
                quantifier, keyPath: path, withoutAnyKey(part, of: destination ?? entity))
        case .comparison(let comparison):
            var copy = comparison
            if comparison.left == .anyKey, comparison.quantifier == nil { copy.quantifier = .any }
            copy.left = withoutAnyKey(comparison.left, of: entity)
            copy.right = withoutAnyKey(comparison.right, of: entity)
            return .comparison(copy)
        }
    }

    func withoutAnyKey(_ expression: FetchExpression, of entity: Entity) -> FetchExpression {
        if expression == .anyKey {
            return .aggregate(
                entity.attributes.filter { $0.kind != .transformable }
                    .map { .keyPath($0.pathNames) })
        }
        return expression.mapping(
            operands: { withoutAnyKey($0, of: entity) },
            condition: { withoutAnyKey($0, of: entity) })
    }

    private func destination(of path: [String], from start: Entity) -> Entity? {
        var entity = start
        for name in path {
            guard case .relationship(let relationship) = entity.property(named: name) else {
                return nil
            }
            entity = model[relationship.destination]
        }
        return entity
    }
}
