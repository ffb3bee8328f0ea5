package import DuramenModel
package import DuramenQuery

/// Evaluates queries in the slow and obvious way, over values instead of rows.
///
/// It can be compared with the evaluator of the core and the stores. They share only the order of
/// values, the folding of text, regular expressions and functions.
package struct PlainEvaluation {
    let contents: StoreContents
    let model: ManagedObjectModel

    /// Creates an evaluation of a store's contents.
    package init(contents: StoreContents, model: ManagedObjectModel) {
        self.contents = contents
        self.model = model
    }

    /// Returns the objects that a query finds, in its order.
    package func results(of query: StoreQuery) -> [ManagedObjectID] {
        let asked = model[query.entity]
        let predicate = query.predicate.map { withoutAnyKey($0, of: asked) }
        let found = contents.records.keys.filter { id in
            guard let entity = model.entity(of: id) else { return false }
            let isAsked = query.includesSubentities ? entity.isKind(of: asked) : entity == asked
            return isAsked && predicate.map { holds($0, id) } ?? true
        }
        let sorted = found.sorted { comesBefore($0, $1, query.sortDescriptors) }
        let rest = sorted.dropFirst(query.offset)
        return Array(query.limit.map { rest.prefix($0) } ?? rest)
    }

    func holds(_ predicate: FetchPredicate, _ id: ManagedObjectID) -> Bool {
        switch predicate.form {
        case .constant(let value): return value
        case .not(let part): return !holds(part, id)
        case .and(let parts): return parts.allSatisfy { holds($0, id) }
        case .or(let parts): return parts.contains { holds($0, id) }
        case .comparison(let comparison): return holds(comparison, id)
        case .quantified(let quantifier, let keyPath, let part):
            let objects = objects(keyPath, id)
            switch quantifier {
            case .any: return objects.contains { holds(part, $0) }
            case .all: return objects.allSatisfy { holds(part, $0) }
            case .none: return !objects.contains { holds(part, $0) }
            }
        }
    }

    // MARK: - Comparisons

    private func holds(_ comparison: PredicateComparison, _ id: ManagedObjectID) -> Bool {
        if let isEmpty = isEmptyToMany(comparison, id) {
            return isEmpty == (comparison.operator == .equal)
        }
        if !isPlain(comparison, id) {
            var evaluator = ValueEvaluator(self)
            return evaluator.holds(comparison, .value(.objectID(id)))
        }
        let options = comparison.options.effective(for: comparison.operator)
        if comparison.operator == .contains, case .keyPath(let path) = comparison.left.form,
            isToMany(path, id)
        {
            guard case .objectID(let member) = value(comparison.right, id) else { return false }
            return objects(path, id).contains(member)
        }
        for case .keyPath(let path) in [comparison.left.form, comparison.right.form] {
            if let isNil = isNilComposite(path, id) {
                return isNil == (comparison.operator == .equal)
            }
        }
        let left = folded(value(comparison.left, id), options)
        if case .list(let list) = comparison.right.form {
            let values = list.map { folded($0, options) }
            switch comparison.operator {
            case .isIn: return values.contains { StoredValue.order(left, $0) == 0 }
            case .between:
                guard values.count == 2, let low = StoredValue.order(left, values[0]),
                    let high = StoredValue.order(left, values[1])
                else { return false }
                return low >= 0 && high <= 0
            default: return false
            }
        }
        let right = folded(value(comparison.right, id), options)
        let order = StoredValue.order(left, right)
        switch comparison.operator {
        case .equal: return left.isNull && right.isNull || order == 0
        case .notEqual: return !(left.isNull && right.isNull || order == 0)
        case .less: return order.map { $0 < 0 } ?? false
        case .lessOrEqual: return order.map { $0 <= 0 } ?? false
        case .greater: return order.map { $0 > 0 } ?? false
        case .greaterOrEqual: return order.map { $0 >= 0 } ?? false
        case .between, .isIn, .matches: return false
        case .contains, .beginsWith, .endsWith, .like:
            guard let text = bytes(left), let part = bytes(right) else { return false }
            return matches(comparison.operator, text, part)
        }
    }

    /// Whether the comparison tests a to-many for nil, which means no objects; nil for other
    /// comparisons.
    private func isEmptyToMany(_ comparison: PredicateComparison, _ id: ManagedObjectID) -> Bool? {
        let sides = [comparison.left.form, comparison.right.form]
        guard [.equal, .notEqual].contains(comparison.operator), comparison.quantifier == nil,
            sides.contains(.constant(.null))
        else { return nil }
        for case .keyPath(let path) in sides where isToMany(path, id) {
            return objects(path, id).isEmpty
        }
        return nil
    }

    private func matches(
        _ relation: PredicateComparison.Operator, _ text: [UInt8], _ part: [UInt8]
    ) -> Bool {
        switch relation {
        case .beginsWith: return text.starts(with: part)
        case .endsWith: return text.reversed().starts(with: part.reversed())
        case .like:
            return isLike(
                Array(String(decoding: text, as: UTF8.self).unicodeScalars),
                Array(String(decoding: part, as: UTF8.self).unicodeScalars))
        default:
            if part.count > text.count { return false }
            return (0...(text.count - part.count)).contains {
                text[$0..<($0 + part.count)].elementsEqual(part)
            }
        }
    }

    /// Matches patterns with a table: does the pattern's end match the text's end?
    private func isLike(_ text: [Unicode.Scalar], _ pattern: [Unicode.Scalar]) -> Bool {
        var tokens: [(any: Bool, one: Bool, scalar: Unicode.Scalar)] = []
        var index = 0
        while index < pattern.count {
            let scalar = pattern[index]
            if scalar == "\\", index + 1 < pattern.count {
                index += 1
                tokens.append((false, false, pattern[index]))
            } else {
                tokens.append((scalar == "*", scalar == "?", scalar))
            }
            index += 1
        }
        var matches = Array(repeating: false, count: text.count + 1)
        matches[text.count] = true
        for token in tokens.reversed() {
            var next = Array(repeating: false, count: text.count + 1)
            for place in stride(from: text.count, through: 0, by: -1) {
                if token.any {
                    next[place] = matches[place] || place < text.count && next[place + 1]
                } else if place < text.count {
                    next[place] = (token.one || text[place] == token.scalar) && matches[place + 1]
                }
            }
            matches = next
        }
        return matches[0]
    }

    // MARK: - Values

    private func bytes(_ value: StoredValue) -> [UInt8]? {
        switch value {
        case .text(let text), .uri(let text): Array(text.string.utf8)
        default: nil
        }
    }

    private func folded(
        _ value: StoredValue, _ options: PredicateComparison.Options
    ) -> StoredValue {
        if options.isEmpty { return value }
        return switch value {
        case .text(let text): .text(TextFolding.fold(text, options))
        case .uri(let text): .uri(TextFolding.fold(text, options))
        default: value
        }
    }

    /// Whether both sides are values, or paths without to-manys.
    private func isPlain(_ comparison: PredicateComparison, _ id: ManagedObjectID) -> Bool {
        if comparison.quantifier != nil || comparison.operator == .matches { return false }
        if comparison.operator == .isIn {
            guard case .list = comparison.right.form else { return false }
        }
        return [comparison.left, comparison.right].allSatisfy { expression in
            switch expression.form {
            case .constant, .list, .selfObject: true
            case .keyPath(let path):
                path.last != "entity" && path.last != "length"
                    && !isToMany(comparison.operator == .contains ? path.dropLast() : path, id)
            case .count(let path): !isToMany(path.dropLast(), id)
            default: false
            }
        }
    }

    private func value(_ expression: FetchExpression, _ id: ManagedObjectID) -> StoredValue {
        switch expression.form {
        case .constant(let value): value
        case .list: .null
        case .selfObject: .objectID(id)
        case .keyPath(let path): value(path, id)
        case .count(let path): .integer(Int64(objects(path, id).count))
        default: .null
        }
    }

    private func value(_ path: [String], _ id: ManagedObjectID) -> StoredValue {
        // The name of an element of a composite has several steps.
        for length in 1...max(path.count, 1) {
            let name = path.suffix(length).joined(separator: ".")
            if let owner = walk(path.dropLast(length), id),
                let value = contents.records[owner]?.values[name]
            {
                return value
            }
        }
        return .null
    }

    /// The object at the end of some to-ones; nil if one of them is null or dangling.
    private func walk(_ path: ArraySlice<String>, _ id: ManagedObjectID) -> ManagedObjectID? {
        var id = id
        for name in path {
            guard case .objectID(let next) = contents.records[id]?.values[name],
                contents.records[next] != nil
            else { return nil }
            id = next
        }
        return id
    }

    /// Whether all elements of a composite are null; nil if the path is not a composite's.
    private func isNilComposite(_ path: [String], _ id: ManagedObjectID) -> Bool? {
        for length in 1...max(path.count, 1) {
            let name = path.suffix(length).joined(separator: ".")
            guard isComposite(name, behind: path.dropLast(length), of: id) else { continue }
            guard let owner = walk(path.dropLast(length), id) else { return true }
            let names = contents.records[owner]?.values.keys.map { $0 } ?? []
            return !names.contains { $0.hasPrefix(name + ".") }
        }
        return nil
    }

    private func isComposite(
        _ name: String, behind path: ArraySlice<String>, of id: ManagedObjectID
    ) -> Bool {
        var entity = model.entity(of: id)
        for step in path {
            guard case .relationship(let relationship) = entity?.property(named: step) else {
                return false
            }
            entity = model[relationship.destination]
        }
        return entity?.composite(named: name) != nil
    }

    private func isToMany(_ path: some Sequence<String>, _ id: ManagedObjectID) -> Bool {
        var entity = model.entity(of: id)
        for name in path {
            guard case .relationship(let relationship) = entity?.property(named: name) else {
                return false
            }
            if relationship.isToMany { return true }
            entity = model[relationship.destination]
        }
        return false
    }

    /// The objects at the end of a path, which may have to-manys.
    private func objects(
        _ path: some Collection<String>, _ id: ManagedObjectID
    ) -> [ManagedObjectID] {
        guard let name = path.first else { return [id] }
        let next: [ManagedObjectID]
        if case .relationship(let relationship) = model.entity(of: id)?.property(named: name),
            relationship.isToMany
        {
            next = contents.destinations[relationship.id]?[id] ?? []
        } else {
            next = walk([name], id).map { [$0] } ?? []
        }
        let rest = path.dropFirst()
        return rest.isEmpty
            ? next : next.filter { contents.records[$0] != nil }.flatMap { objects(rest, $0) }
    }

    // MARK: - Order

    private func comesBefore(
        _ a: ManagedObjectID, _ b: ManagedObjectID, _ descriptors: [FetchSortDescriptor]
    ) -> Bool {
        for descriptor in descriptors {
            let options = descriptor.comparison.options
            let left = folded(key(descriptor, a), options)
            let right = folded(key(descriptor, b), options)
            let nulls = (left.isNull ? 0 : 1) - (right.isNull ? 0 : 1)
            let sign = left.isNull || right.isNull ? nulls : StoredValue.order(left, right) ?? 0
            if sign != 0 { return descriptor.isAscending ? sign < 0 : sign > 0 }
        }
        return a < b
    }

    private func key(_ descriptor: FetchSortDescriptor, _ id: ManagedObjectID) -> StoredValue {
        switch descriptor.keyPath.last {
        case "SELF": .objectID(id)
        case "@count": .integer(Int64(objects(descriptor.keyPath.dropLast(), id).count))
        default: value(descriptor.keyPath, id)
        }
    }
}

extension PlainEvaluation: NamedProperties {
    /// Returns the stored value of a property; of a composite its elements.
    package func value(of id: ManagedObjectID, named name: String) -> QueryValue {
        switch model.entity(of: id)?.property(named: name) {
        case .attribute?: return .value(contents.records[id]?.values[name] ?? .null)
        case .relationship(let relationship)?:
            if relationship.isToMany {
                return .collection(objects([name], id).map { .value(.objectID($0)) })
            }
            // A dangling reference still has its ID, but no properties.
            return .value(contents.records[id]?.values[name] ?? .null)
        case nil:
            if contents.records[id] == nil { return .value(.null) }
            if name == "entity" { return .value(.text(StoredText(id.entityName))) }
            return composite(name, of: id)
        }
    }

    /// The elements of a composite by their names; null if all are null.
    private func composite(_ name: String, of id: ManagedObjectID) -> QueryValue {
        var elements: [String: QueryValue] = [:]
        for (path, value) in contents.records[id]?.values ?? [:] where path.hasPrefix(name + ".") {
            let rest = path.dropFirst(name.count + 1)
            let element = String(rest.prefix { $0 != "." })
            elements[element] =
                rest.contains(".") ? composite("\(name).\(element)", of: id) : .value(value)
        }
        return elements.isEmpty ? .value(.null) : .dictionary(elements)
    }

    /// Returns whether a step of a path is a to-many.
    package func leadsOverToMany(_ path: ArraySlice<String>, from id: ManagedObjectID) -> Bool {
        isToMany(path, id)
    }
}
