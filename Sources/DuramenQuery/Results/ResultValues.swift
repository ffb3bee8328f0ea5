import DuramenModel

/// The values of one result.
struct ResultValues {
    let keys: [StoredValue]
    private let aggregates: [QueryValue]
    private let query: BoundResultQuery
    /// The evaluator of calculated values; it is made for the first one.
    private var evaluator: ValueEvaluator<NoObjects>?

    init(_ query: BoundResultQuery, _ keys: [StoredValue], _ aggregates: [QueryValue]) {
        self.query = query
        self.keys = keys
        self.aggregates = aggregates
    }

    /// Returns a value of the result.
    mutating func value(of part: ResultPart) -> StoredValue {
        switch part {
        case .key(let place): return keys[place]
        case .aggregate(let place): return aggregates[place].scalar
        case .calculated(let expression):
            return calculating { $0.value(expression, .null).scalar }
        }
    }

    /// Returns whether a condition on the group is true.
    mutating func holds(_ condition: FetchPredicate) -> Bool {
        calculating { $0.holds(condition, .null) }
    }

    private mutating func calculating<R>(_ body: (inout ValueEvaluator<NoObjects>) -> R) -> R {
        var evaluator = evaluator ?? ValueEvaluator(NoObjects(), variables: variables)
        defer { self.evaluator = evaluator }
        return body(&evaluator)
    }

    private var variables: [String: QueryValue] {
        var variables: [String: QueryValue] = [:]
        for (key, value) in zip(query.keys, keys) { variables[key.variable] = .value(value) }
        for (aggregate, value) in zip(query.aggregates, aggregates) {
            variables[aggregate.variable] = value
        }
        return variables
    }
}
