import DuramenModel
import DuramenQuery
import DuramenStore

extension LMDBSnapshot: ExplainingSnapshot {
    /// Returns the steps for a query that was accepted completely.
    func steps(of query: PreparedQuery) throws(StoreError) -> [String] {
        try schema.checkOpen()
        let question = try question(query)
        return try withRows { (rows) throws(StoreError) in
            let numbers = try indexNumbers(rows)
            let plan = try QueryPlanner(question: question, rows: rows, numbers: numbers).plan()
            var steps = [Self.walk(question, plan, numbers)]
            if let predicate = question.query.predicate {
                steps.append("keep the rows with \(predicate.shape)")
            }
            if question.order != nil {
                if case .index(_, _, .asAsked) = plan {} else { steps.append("sort the rows") }
            }
            // A store that is opened for reading only creates no indexes.
            if pool.indexes != nil {
                for place in question.conditions.wantedIndexes where numbers[place] == nil {
                    steps.append(
                        "the first run makes \(Self.name(of: schema.indexes[place], schema))")
                }
            }
            return steps
        }
    }

    /// A description of the plan for finding the rows.
    private static func walk(
        _ question: Question, _ plan: QueryPlan, _ numbers: [UInt32?]
    ) -> String {
        switch plan {
        case .keys(let keys): return "look up \(keys.count) key(s)"
        case .table:
            return "walk through the table of \(question.schema.model[question.entity.root].name)"
        case .index(let place, let ranges, let order):
            let index = question.schema.indexes[place]
            var builder = RangeBuilder(question.conditions, index, number: numbers[place] ?? 0)
            let used = index.parts.prefix(builder.ranges().usedParts).flatMap { part in
                question.conditions[part].map { "\(part.name) \($0.shape)" }
            }
            var text = used.isEmpty ? "walk through " : "search "
            text += name(of: index, question.schema)
            if !used.isEmpty { text += " by " + used.joined(separator: " AND ") }
            if ranges.count != 1 { text += ", \(ranges.count) ranges" }
            return text + order.ending
        }
    }

    private static func name(of index: StoreIndex, _ schema: StoreSchema) -> String {
        "the index \(schema.model[index.entity].name) ("
            + index.parts.map(\.name).joined(separator: ", ") + ")"
    }
}

extension QueryPlan.IndexOrder {
    fileprivate var ending: String {
        switch self {
        case .byKey: ", rows by key"
        case .asAsked(let isReversed): isReversed ? ", backwards" : ", in its order"
        }
    }
}

extension QueryConditions.Condition {
    /// The condition without its value.
    fileprivate var shape: String {
        switch self {
        case .equal(.null): "== nil"
        case .equal: "== ?"
        case .oneOf: "IN ?"
        case .atLeast(_, let isIncluded): isIncluded ? ">= ?" : "> ?"
        case .atMost(_, let isIncluded): isIncluded ? "<= ?" : "< ?"
        case .begins: "BEGINSWITH ?"
        }
    }
}
