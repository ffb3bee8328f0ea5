import DuramenModel
import DuramenQuery

/// One group of a result query. It computes each value from all its objects, without caching.
struct PlainGroup {
    private let evaluation: PlainEvaluation
    private let query: ResultQuery
    private let entity: Entity
    private let keys: [StoredValue]
    private let members: [ManagedObjectID]
    private var variables: [String: QueryValue] = [:]

    init(
        _ evaluation: PlainEvaluation, _ query: ResultQuery, _ entity: Entity,
        _ keys: [StoredValue], _ members: [ManagedObjectID]
    ) {
        self.evaluation = evaluation
        self.query = query
        self.entity = entity
        self.keys = keys
        self.members = members
    }

    mutating func value(_ expression: FetchExpression) -> StoredValue {
        let summed = summedUp(expression)
        var evaluator = ValueEvaluator(evaluation, variables: variables)
        return evaluator.value(summed, .null).scalar
    }

    mutating func holds(_ having: FetchPredicate) -> Bool {
        let summed = summedUp(having, namesColumns: true)
        var evaluator = ValueEvaluator(evaluation, variables: variables)
        return evaluator.holds(summed, .null)
    }

    private mutating func summedUp(
        _ predicate: FetchPredicate, namesColumns: Bool
    ) -> FetchPredicate {
        var copy = self
        let mapped = predicate.mapping { comparison in
            var changed = comparison
            changed.left = copy.summedUp(comparison.left, namesColumns: namesColumns)
            changed.right = copy.summedUp(comparison.right, namesColumns: namesColumns)
            return .comparison(changed)
        }
        self = copy
        return mapped
    }

    /// The expression with variables in place of aggregates and grouped paths.
    private mutating func summedUp(
        _ expression: FetchExpression, namesColumns: Bool = false
    ) -> FetchExpression {
        if evaluation.isAggregate(expression, entity),
            case .function(let function, let arguments) = expression.form
        {
            let values = members.map { id in
                var evaluator = ValueEvaluator(evaluation)
                return evaluator.value(arguments[0], .value(.objectID(id)))
            }
            return variable(function.call([.collection(values)]))
        }
        if namesColumns, let column = column(expression) { return summedUp(column.expression) }
        if case .keyPath(let path) = expression.form {
            let sought = path.map { StoredText($0) }
            let place = query.groupBy.firstIndex { $0.map { StoredText($0) } == sought }
            return variable(.value(place.map { keys[$0] } ?? .null))
        }
        var copy = self
        let mapped = expression.mapping(
            operands: { copy.summedUp($0, namesColumns: namesColumns) },
            condition: { copy.summedUp($0, namesColumns: namesColumns) })
        self = copy
        return mapped
    }

    private mutating func variable(_ value: QueryValue) -> FetchExpression {
        let name = "\(variables.count)"
        variables[name] = value
        return .variable(name)
    }

    private func column(_ expression: FetchExpression) -> ResultColumn? {
        let name: String
        switch expression.form {
        case .variable(let variable): name = variable
        case .keyPath(let path): name = path.joined(separator: ".")
        default: return nil
        }
        return query.columns.first { StoredText($0.name) == StoredText(name) }
    }
}
