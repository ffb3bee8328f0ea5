package import DuramenQuery

extension PredicateCompiler {
    /// Returns a key of groups; nil if the engine might distinguish other groups than the
    /// evaluator.
    package mutating func groupKey(_ expression: FetchExpression) -> SQLGroupColumn? {
        guard case .keyPath(let path) = expression.form else { return nil }
        var scope = root
        defer { root = scope }
        if let (key, entity) = attempt(&scope, { $0.toOne(path, &$1) }) {
            // A null reference has no entity number.
            let entity = "(CASE WHEN \(key) IS NOT NULL THEN \(entity) END)"
            return SQLGroupColumn([key, entity], .object, terms: [key, entity])
        }
        guard var value = attempt(&scope, { $0.value(expression, &$1) }), isExact(value.kind) else {
            return nil
        }
        // All values except 0 are true.
        if value.kind == .boolean, !dialect.isTyped { value.text = "(\(value.text) <> 0)" }
        guard let column = column(value) else { return nil }
        return SQLGroupColumn(column.columns, column.form, terms: [value.text])
    }

    /// Returns an aggregate of each group; nil if the engine cannot compute it.
    package mutating func groupAggregate(_ aggregate: GroupQuery.Aggregate) -> SQLGroupColumn? {
        guard let operand = aggregate.operand else {
            return aggregate.function == .count
                ? column(SQLValue(text: "COUNT(*)", kind: .integer)) : nil
        }
        var scope = root
        defer { root = scope }
        guard let value = attempt(&scope, { $0.value(operand, &$1) }) else { return nil }
        let column: SQLGroupColumn?
        switch aggregate.function {
        case .count where value.kind != .boxed:
            column = self.column(SQLValue(text: "COUNT(\(value.text))", kind: .integer))
        case .min where isExact(value.kind), .max where isExact(value.kind):
            column = dialect.extreme(aggregate.function, value.kind).flatMap {
                self.column(SQLValue(text: "\($0)(\(value.text))", kind: value.kind))
            }
        case .sum where value.kind == .integer, .average where value.kind == .integer:
            column = whole(aggregate.function, value) ?? called(aggregate.function, value)
        default: column = called(aggregate.function, value)
        }
        guard let column, column.columns.allSatisfy(dialect.fits) else { return nil }
        return column
    }

    private func called(_ function: FetchFunction, _ value: SQLValue) -> SQLGroupColumn? {
        dialect.aggregate(function, value.kind, value.argument)
            .map { SQLGroupColumn([$0], .boxed) }
    }

    /// A sum or a mean of integers, from the exact sum.
    private func whole(_ function: FetchFunction, _ value: SQLValue) -> SQLGroupColumn? {
        guard let sum = dialect.wholeSum(value.text) else { return nil }
        return function == .sum
            ? SQLGroupColumn([sum], .wholeSum)
            : SQLGroupColumn([sum, "COUNT(\(value.text))"], .wholeAverage)
    }

    private func column(_ value: SQLValue) -> SQLGroupColumn? {
        if dialect.isTyped { return SQLGroupColumn([value.text], .value(value.kind)) }
        return call("q ", [value], .boxed).map { SQLGroupColumn([$0.text], .boxed) }
    }

    /// Whether values that the engine considers equal are identical, and its order is the
    /// evaluator's.
    private func isExact(_ kind: SQLKind) -> Bool {
        switch kind {
        case .integer, .boolean, .double, .text, .uri, .date, .binary, .uuid: true
        case .decimal: dialect.comparesDecimals
        // An integer and a double may be equal and still differ in form.
        case .number, .boxed: false
        }
    }
}
