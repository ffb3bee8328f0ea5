import DuramenModel
import DuramenQuery

extension PredicateCompiler {
    /// The rows of a collection of objects or of their attributes; nil for other collections.
    mutating func rows(_ collection: FetchExpression, _ scope: inout SQLScope) -> SQLRows? {
        switch collection.form {
        case .keyPath(let path):
            var rows = SQLRows(tables: [], conditions: [])
            return follow(path, &scope, &rows) ? rows : nil
        case .property(let base, let path):
            if let name = base.variableName {
                return inVariable(name) { compiler, scope in
                    var rows = SQLRows(tables: [], conditions: [])
                    return compiler.follow(path, &scope, &rows) ? rows : nil
                }
            }
            guard var rows = self.rows(base, &scope), rows.rest.isEmpty,
                var last = rows.tables.popLast()
            else { return nil }
            var longer = SQLRows(tables: [], conditions: [])
            guard follow(path, &last.scope, &longer, mayEnd: true) else { return nil }
            rows.tables.append(last)
            rows.tables += longer.tables
            rows.conditions += longer.conditions
            rows.rest = longer.rest
            return rows
        case .subquery(let inner, let variable, let predicate):
            guard var rows = self.rows(inner, &scope), rows.rest.isEmpty,
                var last = rows.tables.popLast()
            else { return nil }
            let outside = variables[variable]
            variables[variable] = last.scope
            let condition = self.condition(predicate, &scope, strict: false)
            last.scope = variables[variable] ?? last.scope
            variables[variable] = outside
            guard let condition else { return nil }
            rows.tables.append(last)
            rows.conditions.append(condition)
            return rows
        default: return nil
        }
    }

    /// Adds the tables of the to-many relationships of a path.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - scope: The tables so far.
    ///   - rows: The rows to extend.
    ///   - mayEnd: Whether a path without a to-many is accepted, because it already starts at rows.
    private mutating func follow(
        _ path: [String], _ scope: inout SQLScope, _ rows: inout SQLRows, mayEnd: Bool = false
    ) -> Bool {
        var current = scope.entity
        for (index, name) in path.enumerated() {
            guard
                case .relationship(let relationship)? = mapping.model[current].property(named: name)
            else { break }
            current = relationship.destination
            guard relationship.isToMany else { continue }
            guard
                case .toMany(let owner, let relationship)? = target(
                    of: Array(path[...index]), &scope),
                let (found, from, link) = destinations(of: relationship, owner: owner)
            else { return false }
            var inner = found
            var rest = SQLRows(tables: [], conditions: [])
            let isComplete = follow(Array(path[(index + 1)...]), &inner, &rest, mayEnd: true)
            rows.tables.append((from, inner))
            rows.tables += rest.tables
            rows.conditions.append(link)
            rows.conditions += rest.conditions
            rows.rest = rest.rest
            return isComplete
        }
        rows.rest = path
        return mayEnd
    }

    /// The value of each element of rows; nil for objects.
    mutating func element(_ rows: inout SQLRows) -> SQLValue? {
        guard var last = rows.tables.popLast() else { return nil }
        let value = value(.keyPath(rows.rest), &last.scope)
        rows.tables.append(last)
        return value
    }

    // MARK: - Aggregates

    /// A function of all elements of a collection of rows.
    mutating func aggregate(
        _ function: FetchFunction, _ collection: FetchExpression, _ scope: inout SQLScope
    ) -> SQLValue? {
        guard var rows = rows(collection, &scope) else { return nil }
        func select(_ what: String, _ kind: SQLKind) -> SQLValue {
            SQLValue(
                text: "(SELECT \(what) FROM \(rows.from(dialect)) WHERE \(rows.condition))",
                kind: kind)
        }
        if rows.rest.isEmpty || leadsToObject(rows) {
            guard function == .count else { return nil }
            if rows.rest.isEmpty { return select("COUNT(*)", .integer) }
            guard let key = key(&rows) else { return nil }
            return select("COUNT(\(key))", .integer)
        }
        guard let element = element(&rows) else { return nil }
        if function == .count, element.kind != .boxed {
            return select("COUNT(\(element.text))", .integer)
        }
        if let extreme = dialect.extreme(function, element.kind) {
            return select("\(extreme)(\(element.text))", element.kind)
        }
        guard let list = dialect.collect(element.kind, element.argument) else { return nil }
        let all = select(list, .boxed)
        let isNumber = element.kind.isNumber
        switch function {
        // The median of booleans is a boolean.
        case .median where element.kind == .boolean:
            return call("f \(function.rawValue)", [all], .boxed)
        case .sum, .average, .median, .stddev:
            return call("f \(function.rawValue)", [all], isNumber ? .number : .boxed)
        case .count: return call("f \(function.rawValue)", [all], .integer)
        default: return call("f \(function.rawValue)", [all], .boxed)
        }
    }

    /// All elements of a collection of values as one boxed value.
    mutating func collected(
        _ collection: FetchExpression, _ scope: inout SQLScope
    ) -> SQLValue? {
        guard var rows = rows(collection, &scope), !rows.rest.isEmpty, !leadsToObject(rows),
            let element = element(&rows),
            let list = dialect.collect(element.kind, element.argument)
        else { return nil }
        return SQLValue(
            text: "(SELECT \(list) FROM \(rows.from(dialect)) WHERE \(rows.condition))",
            kind: .boxed)
    }

    private func leadsToObject(_ rows: SQLRows) -> Bool {
        guard let last = rows.tables.last else { return false }
        var current = last.scope.entity
        for name in rows.rest {
            guard
                case .relationship(let relationship)? = mapping.model[current].property(named: name)
            else { return false }
            current = relationship.destination
        }
        return true
    }

    /// The key of each element's object, null for none. As in the evaluator, a dangling reference
    /// has a key, unless the mapping treats it as null.
    private mutating func key(_ rows: inout SQLRows) -> String? {
        guard var last = rows.tables.popLast() else { return nil }
        defer { rows.tables.append(last) }
        guard case .toOne(let reference) = target(of: rows.rest, &last.scope) else { return nil }
        return reference.presence.map { "CASE WHEN \($0) THEN \(reference.key) END" }
            ?? reference.key
    }
}
