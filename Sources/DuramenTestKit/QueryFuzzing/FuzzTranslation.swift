import DuramenModel
import DuramenQuery

// Translates questions to the object IDs of another store.

extension FetchPredicate {
    func withIDs(_ ids: [ManagedObjectID: ManagedObjectID]) -> FetchPredicate {
        mapping { comparison in
            var copy = comparison
            copy.left = comparison.left.withIDs(ids)
            copy.right = comparison.right.withIDs(ids)
            return .comparison(copy)
        }
    }
}

extension FetchExpression {
    func withIDs(_ ids: [ManagedObjectID: ManagedObjectID]) -> FetchExpression {
        switch form {
        case .constant(let value): .constant(value.withIDs(ids))
        case .list(let values): .list(values.map { $0.withIDs(ids) })
        default: mapping(operands: { $0.withIDs(ids) }, condition: { $0.withIDs(ids) })
        }
    }
}

extension StoreQuery {
    func withIDs(_ ids: [ManagedObjectID: ManagedObjectID]) -> StoreQuery {
        var copy = self
        copy.predicate = predicate?.withIDs(ids)
        return copy
    }
}

extension ResultQuery {
    func withIDs(_ ids: [ManagedObjectID: ManagedObjectID]) -> ResultQuery {
        var copy = self
        copy.predicate = predicate?.withIDs(ids)
        copy.having = having?.withIDs(ids)
        copy.columns = columns.map { ResultColumn($0.name, $0.expression.withIDs(ids)) }
        return copy
    }
}
