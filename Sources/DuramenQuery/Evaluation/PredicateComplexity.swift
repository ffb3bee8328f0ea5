import DuramenModel

/// Limits the size of a predicate before any recursion into it.
enum PredicateComplexity {
    static let deepestNesting = 128
    static let mostNodes = 10_000

    static func check(_ predicate: FetchPredicate, entity: Entity) throws(FetchPredicateError) {
        guard let message = problem(predicate) else { return }
        throw FetchPredicateError(.tooComplex, entity: entity.name, message)
    }

    static func check(_ expression: FetchExpression, entity: Entity) throws(FetchPredicateError) {
        // The expression counts as one side of a comparison.
        guard let message = problem(expression.size, within: deepestNesting - 2) else { return }
        throw FetchPredicateError(.tooComplex, entity: entity.name, message)
    }

    /// Checks that a predicate's lowered form is not too large: each to-many of a path becomes a
    /// level.
    static func checkKept(_ size: PredicateSize, entity: Entity) throws(FetchPredicateError) {
        guard let excess = size.excess else { return }
        throw FetchPredicateError(.tooComplex, entity: entity.name, excess.message)
    }

    /// Returns why a predicate is too complex; nil if it is not.
    static func problem(_ predicate: FetchPredicate) -> String? {
        problem(predicate.size, within: deepestNesting - 1)
    }

    private static func problem(_ size: PredicateSize, within levels: Int) -> String? {
        if let excess = size.excess { return excess.message }
        if size.nodes > mostNodes {
            return "The predicate has more than \(mostNodes) conditions. Use isIn for long lists."
        }
        return size.levels > levels ? PredicateSize.Excess.depth.message : nil
    }

    /// Returns the depth of nested functions and the like in an expression: 0 for a value or a
    /// path, at most one more than ``deepestNesting``.
    static func depth(of expression: FetchExpression) -> Int {
        if expression.size.excess != nil || expression.size.nodes > mostNodes {
            return deepestNesting + 1
        }
        return min(Int(expression.size.levels), deepestNesting + 1)
    }
}

extension FetchPredicate {
    /// Whether the predicate lost its parts while it was built, because it was nested too deeply,
    /// or a path or list was too long. Every use fails with the error code `tooComplex`.
    public var isTooComplex: Bool { size.excess != nil }
}

extension FetchExpression {
    /// Whether the expression has no parts.
    var isLeaf: Bool { size.nodes == 0 }
}
