import DuramenModel

/// One result, with what its order depends on.
struct ResultEntry {
    var columns: [StoredValue]
    /// What comes before the columns in the order.
    var sortValues: [StoredValue]
}

/// The order of results.
struct ResultOrder {
    private let query: BoundResultQuery
    /// By sort value, whether small ones come first.
    private let directions: [Bool]

    init(_ query: BoundResultQuery) {
        self.query = query
        directions = query.sortKeys.map(\.isAscending)
    }

    /// The result of a group, or of a row, which has an ID.
    func entry(
        _ keys: [StoredValue], _ aggregates: [QueryValue], _ id: ManagedObjectID?
    ) -> ResultEntry {
        let columns = query.columns.map { query.value(of: $0, keys, aggregates) }
        if !query.sortKeys.isEmpty {
            let values = query.sortKeys.map { key in
                let value = query.value(of: key.part, keys, aggregates)
                guard !key.options.isEmpty, let text = value.textValue else { return value }
                return .text(TextFolding.fold(text, key.options))
            }
            return ResultEntry(columns: columns, sortValues: values)
        }
        if query.query.isDistinct { return ResultEntry(columns: columns, sortValues: []) }
        return ResultEntry(columns: columns, sortValues: id.map { [.objectID($0)] } ?? keys)
    }

    func precedes(_ a: ResultEntry, _ b: ResultEntry) -> Bool {
        for place in a.sortValues.indices {
            let order = StoredValue.resultOrder(a.sortValues[place], b.sortValues[place])
            let isAscending = place < directions.count ? directions[place] : true
            if order != 0 { return (order < 0) == isAscending }
        }
        return [StoredValue].formOrder(a.columns, b.columns) < 0
    }
}

extension BoundResultQuery {
    /// A value of a result.
    func value(
        of part: ResultPart, _ keys: [StoredValue], _ aggregates: [QueryValue]
    ) -> StoredValue {
        switch part {
        case .key(let place): return keys[place]
        case .aggregate(let place): return aggregates[place].scalar
        case .calculated(let expression):
            var evaluator = evaluator(keys, aggregates)
            return evaluator.value(expression, .null).scalar
        }
    }

    /// Evaluates what is calculated from the values of a group.
    func evaluator(
        _ keys: [StoredValue], _ aggregates: [QueryValue]
    ) -> ValueEvaluator<NoObjects> {
        var variables: [String: QueryValue] = [:]
        for (key, value) in zip(self.keys, keys) { variables[key.variable] = .value(value) }
        for (aggregate, value) in zip(self.aggregates, aggregates) {
            variables[aggregate.variable] = value
        }
        return ValueEvaluator(NoObjects(), variables: variables)
    }
}
