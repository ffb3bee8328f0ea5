package import DuramenModel
package import DuramenQuery

extension PlainEvaluation {
    /// Returns the results of a query, in its order.
    package func results(of query: ResultQuery) -> [[StoredValue]] {
        var query = query
        let entity = model[query.entity]
        query.columns = query.columns.map {
            ResultColumn($0.name, withoutAnyKey($0.expression, of: entity))
        }
        query.having = query.having.map { withoutAnyKey($0, of: entity) }
        let objects = results(of: query.rows).sorted()
        let isGrouped =
            !query.groupBy.isEmpty
            || query.columns.contains { isOfGroup($0.expression, entity) }
            || query.having != nil
        var entries = isGrouped ? groups(objects, query) : objects.map { row($0, query) }
        if query.isDistinct { entries = distinct(entries) }
        entries = entries.enumerated().sorted { a, b in
            for (place, (x, y)) in zip(a.element.order, b.element.order).enumerated() {
                let isAscending =
                    place >= query.sortDescriptors.count
                    || query.sortDescriptors[place].isAscending
                if let order = Self.order(x, y) { return (order < 0) == isAscending }
            }
            for (x, y) in zip(a.element.columns, b.element.columns) {
                if Self.precedes(x, y) { return true }
                if Self.precedes(y, x) { return false }
            }
            return a.offset < b.offset
        }.map(\.element)
        let rest = entries.dropFirst(query.offset)
        return (query.limit.map { rest.prefix($0) } ?? rest).map(\.columns)
    }

    /// One result, with its sort keys.
    private typealias Entry = (columns: [StoredValue], order: [StoredValue])

    // MARK: - Rows

    private func row(_ id: ManagedObjectID, _ query: ResultQuery) -> Entry {
        func value(_ expression: FetchExpression) -> StoredValue {
            var evaluator = ValueEvaluator(self)
            return evaluator.value(expression, .value(.objectID(id))).scalar
        }
        let columns = query.columns.map { value($0.expression) }
        if query.sortDescriptors.isEmpty {
            return (columns, query.isDistinct ? [] : [.objectID(id)])
        }
        let order = query.sortDescriptors.map { descriptor in
            let column = column(of: descriptor, query)
            return folded(
                column.map { columns[$0] } ?? value(descriptor.expression), descriptor)
        }
        return (columns, order)
    }

    private func column(of descriptor: FetchSortDescriptor, _ query: ResultQuery) -> Int? {
        let name = StoredText(descriptor.keyPath.joined(separator: "."))
        return query.columns.firstIndex { StoredText($0.name) == name }
    }

    private func folded(
        _ value: StoredValue, _ descriptor: FetchSortDescriptor
    ) -> StoredValue {
        switch value {
        case .text(let text), .uri(let text):
            .text(TextFolding.fold(text, descriptor.comparison.options))
        default: value
        }
    }

    // MARK: - Groups

    private func groups(_ objects: [ManagedObjectID], _ query: ResultQuery) -> [Entry] {
        var groups: [(keys: [StoredValue], members: [ManagedObjectID])] = []
        // Also without objects.
        if query.groupBy.isEmpty { groups.append(([], [])) }
        for id in objects {
            let keys = query.groupBy.map { path in
                var evaluator = ValueEvaluator(self)
                return evaluator.value(.keyPath(path), .value(.objectID(id))).scalar
            }
            if let place = groups.firstIndex(where: { Self.areSame($0.keys, keys) }) {
                groups[place].members.append(id)
            } else {
                groups.append((keys, [id]))
            }
        }
        let entity = model[query.entity]
        return groups.compactMap { group in
            var summary = PlainGroup(self, query, entity, group.keys, group.members)
            if let having = query.having, !summary.holds(having) { return nil }
            let columns = query.columns.map { summary.value($0.expression) }
            if query.sortDescriptors.isEmpty {
                return (columns, query.isDistinct ? [] : group.keys)
            }
            let order = query.sortDescriptors.map { descriptor in
                let column = column(of: descriptor, query)
                return folded(
                    column.map { columns[$0] } ?? summary.value(.keyPath(descriptor.keyPath)),
                    descriptor)
            }
            return (columns, order)
        }
    }

    /// Each distinct result once: of equal results the first by form.
    private func distinct(_ entries: [Entry]) -> [Entry] {
        var found: [Entry] = []
        for entry in entries {
            guard let place = found.firstIndex(where: { Self.areSame($0.columns, entry.columns) })
            else {
                found.append(entry)
                continue
            }
            for (x, y) in zip(entry.columns, found[place].columns) {
                if Self.precedes(y, x) { break }
                if Self.precedes(x, y) {
                    found[place] = entry
                    break
                }
            }
        }
        return found
    }

    // MARK: - Values

    private static func areSame(_ a: [StoredValue], _ b: [StoredValue]) -> Bool {
        zip(a, b).allSatisfy { $0.isNull && $1.isNull || StoredValue.order($0, $1) == 0 }
    }

    /// The order of two values; nil if they are equal.
    private static func order(_ a: StoredValue, _ b: StoredValue) -> Int? {
        if let order = StoredValue.order(a, b) { return order == 0 ? nil : order }
        return precedes(a, b) ? -1 : (precedes(b, a) ? 1 : nil)
    }

    /// Null first, then by kind, by value and by form.
    private static func precedes(_ a: StoredValue, _ b: StoredValue) -> Bool {
        if a.kindRank != b.kindRank { return a.kindRank < b.kindRank }
        if let order = StoredValue.order(a, b), order != 0 { return order < 0 }
        return a.formRank < b.formRank
    }

    // MARK: - Group expressions

    /// Whether an expression contains an aggregate.
    func isOfGroup(_ expression: FetchExpression, _ entity: Entity) -> Bool {
        isAggregate(expression, entity)
            || expression.operands.contains { isOfGroup($0, entity) }
            || conditionIsOfGroup(expression, entity)
    }

    private func conditionIsOfGroup(_ expression: FetchExpression, _ entity: Entity) -> Bool {
        guard case .conditional(let condition, _, _) = expression.form else { return false }
        var found = false
        _ = condition.mapping { comparison in
            if isOfGroup(comparison.left, entity) || isOfGroup(comparison.right, entity) {
                found = true
            }
            return .comparison(comparison)
        }
        return found
    }

    /// Whether an expression aggregates a group: a function of a value that each object has.
    func isAggregate(_ expression: FetchExpression, _ entity: Entity) -> Bool {
        guard case .function(let function, let arguments) = expression.form, function.isAggregate,
            arguments.count == 1
        else { return false }
        return !isCollection(arguments[0], entity) && !isOfGroup(arguments[0], entity)
    }

    private func isCollection(_ expression: FetchExpression, _ entity: Entity) -> Bool {
        switch expression.form {
        case .keyPath(let path): return leadsOverToMany(path, from: entity)
        case .property(let base, let path):
            return isCollection(base, entity) || leadsOverToMany(path, from: entity)
        case .subquery, .list, .aggregate, .anyKey: return true
        case .function(let function, let arguments):
            switch function {
            case .mode, .distinct:
                // With one argument of a single value they are aggregates.
                return arguments.count > 1 || isCollection(arguments[0], entity)
            case .union, .intersect, .minus: return true
            case .noindex: return isCollection(arguments[0], entity)
            default: return false
            }
        default: return false
        }
    }

    private func leadsOverToMany(_ path: [String], from start: Entity) -> Bool {
        var entity = start
        for name in path {
            guard case .relationship(let relationship) = entity.property(named: name) else {
                return false
            }
            if relationship.isToMany { return true }
            entity = model[relationship.destination]
        }
        return false
    }
}

extension StoredValue {
    fileprivate var kindRank: Int {
        switch self {
        case .null: 0
        case .boolean, .integer, .double, .decimal: 1
        case .text, .uri: 2
        case .date: 3
        case .binary: 4
        case .uuid: 5
        case .objectID: 6
        }
    }

    /// Equal integers, booleans, doubles and decimals come in this order, text before URIs.
    fileprivate var formRank: Int {
        switch self {
        case .boolean: 1
        case .double: 2
        case .decimal: 3
        case .uri: 4
        default: 0
        }
    }
}
