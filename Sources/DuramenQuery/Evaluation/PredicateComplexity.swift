import DuramenModel

/// Bounds the size of a predicate before anything walks through it by recursion.
enum PredicateComplexity {
    static let deepestNesting = 128
    static let mostNodes = 10_000

    private enum Excess {
        case depth
        case nodes
    }

    private enum Part {
        case predicate(FetchPredicate)
        case expression(FetchExpression)
    }

    static func check(_ predicate: FetchPredicate, entity: Entity) throws(FetchPredicateError) {
        guard let message = problem(predicate) else { return }
        throw FetchPredicateError(.tooComplex, entity: entity.name, message)
    }

    static func check(_ expression: FetchExpression, entity: Entity) throws(FetchPredicateError) {
        // It counts as one side of a comparison.
        guard let message = problem(.expression(expression), within: deepestNesting - 2) else {
            return
        }
        throw FetchPredicateError(.tooComplex, entity: entity.name, message)
    }

    /// What is too much about a predicate; nil when all is within bounds.
    static func problem(_ predicate: FetchPredicate) -> String? {
        problem(.predicate(predicate), within: deepestNesting - 1)
    }

    private static func problem(_ part: Part, within levels: Int) -> String? {
        switch measure(part, within: levels).excess {
        case .nodes:
            "The predicate has more than \(mostNodes) conditions. Use isIn for long lists."
        case .depth:
            "The predicate is nested more than \(deepestNesting) deep. "
                + "Put conditions side by side in one and() or or()."
        case nil: nil
        }
    }

    /// How deep functions and the like stand within each other in an expression: 0 for a value or a path, at
    /// most one more than ``deepestNesting``.
    static func depth(of expression: FetchExpression) -> Int {
        let (levels, excess) = measure(.expression(expression), within: deepestNesting)
        return excess == nil ? levels : deepestNesting + 1
    }

    /// Counts the levels below a part: walks with a stack of its own, and ends as soon as a bound is passed.
    private static func measure(_ part: Part, within bound: Int) -> (levels: Int, excess: Excess?) {
        var waiting = [(part: part, depth: 0)]
        var nodes = 1
        var levels = 0
        while let (part, depth) = waiting.popLast() {
            let inner = Self.parts(of: part)
            if inner.isEmpty { continue }
            nodes += inner.count
            if nodes > mostNodes { return (levels, .nodes) }
            if depth >= bound { return (levels, .depth) }
            levels = max(levels, depth + 1)
            for part in inner { waiting.append((part, depth + 1)) }
        }
        return (levels, nil)
    }

    /// What counts as a part; values and paths do not.
    private static func parts(of part: Part) -> [Part] {
        switch part {
        case .predicate(.constant): return []
        case .predicate(.not(let inner)), .predicate(.quantified(_, _, let inner)):
            return [.predicate(inner)]
        case .predicate(.and(let parts)), .predicate(.or(let parts)):
            return parts.map { .predicate($0) }
        case .predicate(.comparison(let comparison)):
            if comparison.left.isLeaf, comparison.right.isLeaf { return [] }
            return [comparison.left, comparison.right].filter { !$0.isLeaf }.map { .expression($0) }
        case .expression(let expression):
            let operands = expression.operands.filter { !$0.isLeaf }.map { Part.expression($0) }
            return expression.condition.map { operands + [.predicate($0)] } ?? operands
        }
    }
}

extension FetchExpression {
    /// Whether nothing else is part of it.
    var isLeaf: Bool {
        switch self {
        case .constant, .list, .keyPath, .selfObject, .count, .variable, .anyKey: true
        default: false
        }
    }
}
