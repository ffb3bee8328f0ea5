package import DuramenModel
package import DuramenQuery

/// The part of a predicate that determines its SQL: everything except the values of placeholders.
///
/// Predicates with equal shapes can use one statement. The exchangeable values are counted in the
/// order of the tree. Each is compared with a path, a count or the object itself, and has equal
/// classes in both predicates.
package enum PredicateShape {
    /// Hashes the common parts of predicates with equal shapes. Cheap rather than complete.
    package static func hash(_ predicate: FetchPredicate, into hasher: inout Hasher) {
        switch predicate.form {
        case .constant(let value): hasher.combine(value)
        case .comparison(let comparison):
            hasher.combine(comparison.operator)
            if case .keyPath(let path) = comparison.left.form, let name = path.last {
                hasher.combine(name)
            }
        case .not(let part), .quantified(_, _, let part): hash(part, into: &hasher)
        case .and(let parts), .or(let parts):
            hasher.combine(parts.count)
            for part in parts.prefix(8) { hash(part, into: &hasher) }
        }
    }

    /// Returns whether two predicates have equal shapes.
    ///
    /// - Parameters:
    ///   - a: The first predicate.
    ///   - b: The second predicate.
    ///   - values: Receives the exchangeable values of `b`.
    package static func isSame(
        _ a: FetchPredicate, _ b: FetchPredicate, values: inout [StoredValue]
    ) -> Bool {
        if a.isTooComplex || b.isTooComplex { return false }
        switch (a.form, b.form) {
        case (.constant(let first), .constant(let second)): return first == second
        case (.not(let first), .not(let second)): return isSame(first, second, values: &values)
        case (.and(let first), .and(let second)), (.or(let first), .or(let second)):
            guard first.count == second.count else { return false }
            for (part, other) in zip(first, second)
            where !isSame(part, other, values: &values) { return false }
            return true
        case (
            .quantified(let first, let path, let part), .quantified(let second, let other, let rest)
        ):
            return first == second && FetchExpression.keyPath(path) == .keyPath(other)
                && isSame(part, rest, values: &values)
        case (.comparison(let first), .comparison(let second)):
            return isSame(first, second, values: &values)
        default: return false
        }
    }

    private static func isSame(
        _ a: PredicateComparison, _ b: PredicateComparison, values: inout [StoredValue]
    ) -> Bool {
        guard a.operator == b.operator else { return false }
        let count = valueCount(of: a)
        guard count > 0 else { return a == b }
        guard count == valueCount(of: b), a.left == b.left else { return false }
        switch (a.right.form, b.right.form) {
        case (.constant(let first), .constant(let second)):
            values.append(second)
            return areExchangeable(first, second)
        case (.list(let first), .list(let second)):
            values += second
            return zip(first, second).allSatisfy(areExchangeable)
        default: return false
        }
    }

    /// The number of values of a comparison that may change without a change of its text.
    static func valueCount(of comparison: PredicateComparison) -> Int {
        guard comparison.options.isEmpty, comparison.quantifier == nil else { return 0 }
        switch comparison.left.form {
        case .keyPath, .count, .selfObject: break
        default: return 0
        }
        switch (comparison.operator, comparison.right.form) {
        case (.equal, .constant(let value)), (.notEqual, .constant(let value)),
            (.less, .constant(let value)), (.lessOrEqual, .constant(let value)),
            (.greater, .constant(let value)), (.greaterOrEqual, .constant(let value)),
            (.contains, .constant(let value)), (.beginsWith, .constant(let value)):
            return areExchangeable(value, value) ? 1 : 0
        case (.between, .list(let values)):
            return values.count == 2 && values.allSatisfy { areExchangeable($0, $0) } ? 2 : 0
        default: return 0
        }
    }

    /// Whether two values always have equal SQL texts.
    private static func areExchangeable(_ a: StoredValue, _ b: StoredValue) -> Bool {
        switch (a, b) {
        case (.integer, .integer), (.boolean, .boolean), (.date, .date), (.binary, .binary),
            (.uuid, .uuid):
            true
        case (.double(let first), .double(let second)): !first.isNaN && !second.isNaN
        case (.text(let first), .text(let second)), (.uri(let first), .uri(let second)):
            !first.string.isEmpty && !second.string.isEmpty
        case (.objectID(let first), .objectID(let second)):
            first.store == second.store && first.entityHandle == second.entityHandle
        // Whether a decimal has an exact form depends on its value.
        default: false
        }
    }
}
