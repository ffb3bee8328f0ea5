import DuramenModel

/// Bounds the size of a predicate before anything walks through it by recursion.
enum PredicateComplexity {
    static let deepestNesting = 128
    static let mostNodes = 10_000

    static func check(_ predicate: FetchPredicate, entity: Entity) throws(FetchPredicateError) {
        guard let message = problem(predicate) else { return }
        throw FetchPredicateError(.tooComplex, entity: entity.name, message)
    }

    static func check(_ expression: FetchExpression, entity: Entity) throws(FetchPredicateError) {
        // It counts as one side of a comparison.
        guard let message = problem(expression.size, within: deepestNesting - 2) else { return }
        throw FetchPredicateError(.tooComplex, entity: entity.name, message)
    }

    /// Makes sure that what was made of a predicate has not grown beyond what is kept: each to-many
    /// of a path becomes a level of its own.
    static func checkKept(_ size: PredicateSize, entity: Entity) throws(FetchPredicateError) {
        guard let excess = size.excess else { return }
        throw FetchPredicateError(.tooComplex, entity: entity.name, excess.message)
    }

    /// What is too much about a predicate; nil when all is within bounds.
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

    /// How deep functions and the like stand within each other in an expression: 0 for a value or a
    /// path, at most one more than ``deepestNesting``.
    static func depth(of expression: FetchExpression) -> Int {
        if expression.size.excess != nil || expression.size.nodes > mostNodes {
            return deepestNesting + 1
        }
        return min(Int(expression.size.levels), deepestNesting + 1)
    }
}

extension FetchPredicate {
    /// Whether the predicate lost its parts while it was built, because there were too many within
    /// each other. Every use refuses it with the error code `tooComplex`.
    public var isTooComplex: Bool { size.excess != nil }
}

extension FetchExpression {
    /// Whether nothing else is part of it.
    var isLeaf: Bool { size.nodes == 0 }
}
