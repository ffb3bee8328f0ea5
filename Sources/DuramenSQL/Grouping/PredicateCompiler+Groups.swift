package import DuramenQuery

/// A key of groups in SQL.
package struct SQLGroupKey: Sendable {
    /// The terms of GROUP BY.
    package let terms: [String]
    /// The selected columns: one ``BoxedValue``, or the key and the entity number of an object.
    package let columns: [String]
    /// Whether the key is an object.
    package var isObject: Bool { columns.count == 2 }
}

extension PredicateCompiler {
    /// Returns a key of groups; nil if the engine might distinguish other groups than the
    /// evaluator.
    package mutating func groupKey(_ expression: FetchExpression) -> SQLGroupKey? {
        guard case .keyPath(let path) = expression.form else { return nil }
        var scope = root
        defer { root = scope }
        if let (key, entity) = attempt(&scope, { $0.toOne(path, &$1) }) {
            // A null reference has no entity number.
            let entity = "(CASE WHEN \(key) IS NOT NULL THEN \(entity) END)"
            return SQLGroupKey(terms: [key, entity], columns: [key, entity])
        }
        guard var value = attempt(&scope, { $0.value(expression, &$1) }), value.kind.isExact else {
            return nil
        }
        // All values except 0 are true.
        if value.kind == .boolean { value.text = "(\(value.text) <> 0)" }
        guard let boxed = boxed(value) else { return nil }
        return SQLGroupKey(terms: [value.text], columns: [boxed])
    }

    /// Returns an aggregate of each group, as one ``BoxedValue``; nil if the engine cannot compute
    /// it.
    package mutating func groupAggregate(_ aggregate: GroupQuery.Aggregate) -> String? {
        guard let operand = aggregate.operand else {
            return aggregate.function == .count
                ? boxed(SQLValue(text: "COUNT(*)", kind: .integer)) : nil
        }
        var scope = root
        defer { root = scope }
        guard let value = attempt(&scope, { $0.value(operand, &$1) }) else { return nil }
        let text: String?
        switch aggregate.function {
        case .count where value.kind != .boxed:
            text = boxed(SQLValue(text: "COUNT(\(value.text))", kind: .integer))
        case .min where value.kind.isExact:
            text = boxed(SQLValue(text: "MIN(\(value.text))", kind: value.kind))
        case .max where value.kind.isExact:
            text = boxed(SQLValue(text: "MAX(\(value.text))", kind: value.kind))
        default: text = dialect.aggregate(aggregate.function, value.kind, value.argument)
        }
        guard let text, StatementDepth.places(text) <= dialect.maximumDepth else { return nil }
        return text
    }

    private func boxed(_ value: SQLValue) -> String? { call("q ", [value], .boxed)?.text }
}

extension SQLKind {
    /// Whether values that the engine considers equal are identical, and its order is the
    /// evaluator's.
    fileprivate var isExact: Bool {
        switch self {
        case .integer, .boolean, .double, .text, .uri, .date, .binary, .uuid: true
        // An integer and a double may be equal and still differ in form.
        case .number, .decimal, .boxed: false
        }
    }
}
