import DuramenModel
import DuramenQuery

extension PredicateCompiler {
    /// A comparison in a form that the engine evaluates itself, with its indexes.
    mutating func plain(
        _ comparison: PredicateComparison, _ scope: inout SQLScope, _ strict: Bool
    ) -> String? {
        if !comparison.options.isEmpty { return folded(comparison, &scope, strict) }
        let left = comparison.left
        switch (left.form, comparison.right.form) {
        case (.constant(let value), .keyPath), (.constant(let value), .count),
            (.constant(let value), .selfObject):
            guard let flipped = Self.flipped(comparison.operator) else { return nil }
            return relate(comparison.right, flipped, value, &scope, strict)
        case (_, .constant(let value)):
            return relate(left, comparison.operator, value, &scope, strict)
        case (_, .list(let values)):
            return relate(left, comparison.operator, values, &scope, strict)
        case (.keyPath(let path), .keyPath(let right)):
            return relate(path, comparison.operator, right, &scope, strict)
        default: return nil
        }
    }

    /// A comparison of text without regard to case or marks: both sides folded, then by bytes.
    private mutating func folded(
        _ comparison: PredicateComparison, _ scope: inout SQLScope, _ strict: Bool
    ) -> String? {
        guard case .keyPath(let path) = comparison.left.form,
            case .constant(.text(let text)) = comparison.right.form,
            case .attribute(let column, let kind)? = target(of: path, &scope),
            kind == .text || kind == .uri,
            let folded = dialect.folded(column, comparison.options)
        else { return nil }
        let sought = StoredValue.text(TextFolding.fold(text, comparison.options))
        return attribute(folded, .text, comparison.operator, sought, strict)
    }

    private static func flipped(
        _ relation: PredicateComparison.Operator
    ) -> PredicateComparison.Operator? {
        switch relation {
        case .equal, .notEqual: relation
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }

    static func symbol(_ relation: PredicateComparison.Operator) -> String? {
        switch relation {
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        default: nil
        }
    }

    // MARK: - Against a value

    private mutating func relate(
        _ left: FetchExpression, _ relation: PredicateComparison.Operator,
        _ value: StoredValue, _ scope: inout SQLScope, _ strict: Bool
    ) -> String? {
        switch left.form {
        case .keyPath(let path):
            switch target(of: path, &scope) {
            case .attribute(let column, let kind)?:
                return attribute(column, kind, relation, value, strict)
            case .presence(let column)?:
                // A comparison with null only tests for null.
                return value.isNull ? attribute(column, .binary, relation, value, strict) : nil
            case .toOne(let toOne)?: return reference(toOne, relation, value, strict)
            case .toMany(let owner, let relationship)?:
                return membership(relationship, owner, relation, value, strict)
            case nil: return nil
            }
        case .count(let path):
            return count(path, &scope).flatMap { attribute($0, .integer, relation, value, strict) }
        case .selfObject:
            if case .objectID(let id) = value, Self.symbol(relation) != nil {
                return itself(relation, id, scope)
            }
            return itself([value], scope, relation)
        default: return nil
        }
    }

    /// The number of destinations of a to-many, or nil if the path does not end in a to-many.
    mutating func count(_ path: [String], _ scope: inout SQLScope) -> String? {
        guard case .toMany(let owner, let relationship)? = target(of: path, &scope),
            let (_, from, link) = destinations(of: relationship, owner: owner)
        else { return nil }
        return "(SELECT COUNT(*) FROM \(from) WHERE \(link))"
    }

    /// A comparison of a value of a kind with a constant.
    mutating func attribute(
        _ column: String, _ kind: SlotKind, _ relation: PredicateComparison.Operator,
        _ value: StoredValue, _ strict: Bool
    ) -> String? {
        // Only a test for null is allowed; the evaluator rejects other comparisons.
        if kind == .transformable, relation != .equal, relation != .notEqual { return nil }
        if value.isNull {
            switch relation {
            case .equal: return "(\(column) IS NULL)"
            case .notEqual: return "(\(column) IS NOT NULL)"
            case .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .beginsWith, .endsWith,
                .like:
                return dialect.truth(false)
            default: return nil
            }
        }
        switch relation {
        case .contains, .beginsWith, .endsWith:
            guard kind == .text || kind == .uri else { return nil }
            return text(column, relation, value, strict)
        default: break
        }
        if dialect.isTyped, kind.isNumber {
            guard let test = TypedNumbers.test(kind, relation, value) else { return nil }
            return typed(column, kind, test, value, strict)
        }
        guard let placeholder = placeholder(value, form(of: kind)) else { return nil }
        return compared(column, relation, placeholder, strict)
    }

    /// A comparison with a placeholder that is not null.
    private func compared(
        _ column: String, _ relation: PredicateComparison.Operator, _ placeholder: String,
        _ strict: Bool
    ) -> String? {
        switch relation {
        case .equal: return nullIsFalse("\(column) = \(placeholder)", strict)
        case .notEqual: return dialect.different(column, placeholder)
        default:
            guard let symbol = Self.symbol(relation) else { return nil }
            return nullIsFalse("\(column) \(symbol) \(placeholder)", strict)
        }
    }

    /// A comparison as ``TypedNumbers`` prepared it.
    private mutating func typed(
        _ column: String, _ kind: SlotKind, _ test: TypedNumbers.Test, _ value: StoredValue,
        _ strict: Bool, at place: Int = 0
    ) -> String? {
        switch test {
        case .direct(let relation):
            return placeholder(value, .typed(kind), at: place)
                .flatMap { compared(column, relation, $0, strict) }
        case .bound(let relation, let bound):
            return compared(column, relation, placeholder(bound, SQLParameterType(kind)), strict)
        case .everyNumber:
            isFixed = true
            return "(\(column) IS NOT NULL)"
        case .everyRow:
            isFixed = true
            return dialect.truth(true)
        case .nothing:
            isFixed = true
            return dialect.truth(false)
        }
    }

    // MARK: - Text

    private mutating func text(
        _ column: String, _ relation: PredicateComparison.Operator, _ value: StoredValue,
        _ strict: Bool
    ) -> String? {
        let count: Int
        switch value {
        case .text(let text), .uri(let text): count = text.withUTF8 { $0.count }
        default: return nil
        }
        if count == 0 { return "(\(column) IS NOT NULL)" }
        if relation == .beginsWith {
            return beginning(column, value, strict)
        }
        guard let sought = placeholder(value, dialect.searchForm) else { return nil }
        let text =
            relation == .contains
            ? dialect.bytesContain(column, sought)
            : dialect.bytesEnd(column, count: count, sought)
        return nullIsFalse(text, strict)
    }

    /// A condition that a text begins with another, as a range that an index finds.
    private mutating func beginning(
        _ column: String, _ value: StoredValue, _ strict: Bool
    ) -> String? {
        let isText = dialect.isTyped
        guard let start = placeholder(value, isText ? .typed(.text) : .textStart) else {
            return nil
        }
        guard let end = placeholder(value, isText ? .nextText : .textEnd) else {
            // No text is above all that begin with the last character.
            isFixed = true
            return isText ? nullIsFalse("\(column) >= \(start)", strict) : nil
        }
        return nullIsFalse("\(column) >= \(start) AND \(column) < \(end)", strict)
    }

    // MARK: - Against a list

    private mutating func relate(
        _ left: FetchExpression, _ relation: PredicateComparison.Operator,
        _ values: [StoredValue], _ scope: inout SQLScope, _ strict: Bool
    ) -> String? {
        if case .selfObject = left.form, relation == .isIn { return itself(values, scope, .equal) }
        guard case .keyPath(let path) = left.form else { return nil }
        switch (target(of: path, &scope), relation) {
        // The evaluator rejects it.
        case (.attribute(_, .transformable)?, _): return nil
        case (.attribute(let column, let kind)?, .isIn):
            return membership(column, kind, values, strict)
        case (.attribute(let column, let kind)?, .between):
            guard values.count == 2 else { return nil }
            if values.contains(.null) { return dialect.truth(false) }
            if dialect.isTyped, kind.isNumber { return between(column, kind, values, strict) }
            guard let low = placeholder(values[0], form(of: kind)),
                let high = placeholder(values[1], form(of: kind), at: 1)
            else { return nil }
            return nullIsFalse("\(column) >= \(low) AND \(column) <= \(high)", strict)
        case (.toOne(let toOne)?, .isIn):
            var parts: [String] = []
            for (id, keys) in group(values) {
                guard let wanted = entityCondition(toOne, id) else { continue }
                let keys = keys.map { SQLParameter.integer($0) }
                guard let part = membership(toOne.key, keys, .bigint, strict) else { return nil }
                parts.append("(\(toOne.present(part + wanted)))")
            }
            if parts.isEmpty { return dialect.truth(false) }
            return "(" + parts.joined(separator: " OR ") + ")"
        default: return nil
        }
    }

    /// A number between two others, both included.
    private mutating func between(
        _ column: String, _ kind: SlotKind, _ values: [StoredValue], _ strict: Bool
    ) -> String? {
        guard let low = TypedNumbers.test(kind, .greaterOrEqual, values[0]),
            let high = TypedNumbers.test(kind, .lessOrEqual, values[1]),
            let above = typed(column, kind, low, values[0], strict),
            let below = typed(column, kind, high, values[1], strict, at: 1)
        else { return nil }
        return "(\(above) AND \(below))"
    }

    private mutating func membership(
        _ column: String, _ kind: SlotKind, _ values: [StoredValue], _ strict: Bool
    ) -> String? {
        var bound: [SQLParameter] = []
        for value in values where !value.isNull {
            let test =
                dialect.isTyped && kind.isNumber
                ? TypedNumbers.test(kind, .equal, value) : .direct(.equal)
            switch test {
            case .direct(.equal)?:
                guard let parameter = form(of: kind).parameter(of: value) else { return nil }
                bound.append(parameter)
            case .bound(.equal, let parameter)?: bound.append(parameter)
            case .nothing?: continue
            default: return nil
            }
        }
        return membership(column, bound, SQLParameterType(kind), strict)
    }

    private mutating func membership(
        _ column: String, _ values: [SQLParameter], _ type: SQLParameterType, _ strict: Bool
    ) -> String? {
        if values.isEmpty { return dialect.truth(false) }
        return member(column, values, type, filler: .null).map { nullIsFalse($0, strict) }
    }

    // MARK: - Two paths

    private mutating func relate(
        _ left: [String], _ relation: PredicateComparison.Operator, _ right: [String],
        _ scope: inout SQLScope, _ strict: Bool
    ) -> String? {
        guard case .attribute(let a, let leftKind)? = target(of: left, &scope),
            case .attribute(let b, let rightKind)? = target(of: right, &scope),
            let leftClass = comparisonClass(leftKind),
            leftClass == comparisonClass(rightKind)
        else { return nil }
        switch relation {
        case .equal: return dialect.same(a, b)
        case .notEqual: return dialect.different(a, b)
        default:
            guard let symbol = Self.symbol(relation) else { return nil }
            return nullIsFalse("\(a) \(symbol) \(b)", strict)
        }
    }

    private func comparisonClass(_ kind: SlotKind) -> Int? {
        switch kind {
        // A typed engine compares an integer with a double as doubles, which is not exact.
        case .boolean where dialect.isTyped: 5
        case .double where dialect.isTyped, .float where dialect.isTyped: 6
        case .decimal where dialect.comparesDecimals: 7
        case .integer, .boolean, .double, .float: 0
        case .text, .uri: 1
        case .date: 2
        case .binary: 3
        case .uuid: 4
        case .decimal, .reference, .referenceEntity, .transformable: nil
        }
    }
}
