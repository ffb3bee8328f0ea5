import DuramenModel

/// Bounds the size of a predicate before anything walks through it by recursion.
enum PredicateComplexity {
    static let deepestNesting = 128
    static let mostNodes = 10_000

    /// Walks with a stack of its own, and ends as soon as a bound is passed.
    static func check(_ predicate: FetchPredicate, entity: Entity) throws(FetchPredicateError) {
        var waiting: [(FetchPredicate, depth: Int)] = [(predicate, 1)]
        var nodes = 1
        func add(_ parts: [FetchPredicate], under depth: Int) throws(FetchPredicateError) {
            nodes += parts.count
            if nodes > mostNodes {
                throw FetchPredicateError(
                    .tooComplex, entity: entity.name,
                    "The predicate has more than \(mostNodes) conditions. Use isIn for long lists.")
            }
            if depth >= deepestNesting, !parts.isEmpty {
                throw FetchPredicateError(
                    .tooComplex, entity: entity.name,
                    "The predicate is nested more than \(deepestNesting) deep. "
                        + "Put conditions side by side in one and() or or().")
            }
            for part in parts { waiting.append((part, depth + 1)) }
        }
        while let (node, depth) = waiting.popLast() {
            switch node {
            case .constant, .comparison: continue
            case .not(let inner), .quantified(_, _, let inner): try add([inner], under: depth)
            case .and(let parts), .or(let parts): try add(parts, under: depth)
            }
        }
    }
}
