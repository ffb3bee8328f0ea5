import DuramenModel
import DuramenQuery

/// Predicates with a part of another one left out.
enum FuzzSimplifying {
    static func simpler(_ predicate: FetchPredicate) -> [FetchPredicate] {
        switch predicate {
        case .constant: []
        case .not(let part): [part] + simpler(part).map { .not($0) }
        case .and(let parts): parts + oneSimpler(parts).map { .and($0) }
        case .or(let parts): parts + oneSimpler(parts).map { .or($0) }
        case .quantified(let quantifier, let path, let part):
            simpler(part).map { .quantified(quantifier, keyPath: path, $0) }
        case .comparison(let comparison): simpler(comparison).map { .comparison($0) }
        }
    }

    private static func oneSimpler(_ parts: [FetchPredicate]) -> [[FetchPredicate]] {
        parts.indices.flatMap { place in
            simpler(parts[place]).map { part in
                var copy = parts
                copy[place] = part
                return copy
            }
        }
    }

    private static func simpler(_ comparison: PredicateComparison) -> [PredicateComparison] {
        var candidates: [PredicateComparison] = []
        if !comparison.options.isEmpty {
            var copy = comparison
            copy.options = []
            candidates.append(copy)
        }
        for left in simpler(comparison.left) {
            var copy = comparison
            copy.left = left
            candidates.append(copy)
        }
        for right in simpler(comparison.right) {
            var copy = comparison
            copy.right = right
            candidates.append(copy)
        }
        return candidates
    }

    private static func simpler(_ expression: FetchExpression) -> [FetchExpression] {
        switch expression {
        case .function(let function, let arguments):
            return arguments
                + arguments.indices.flatMap { place in
                    simpler(arguments[place]).map { argument in
                        var copy = arguments
                        copy[place] = argument
                        return .function(function, copy)
                    }
                }
        case .conditional(let condition, let first, let second):
            return [first, second] + simpler(condition).map { .conditional($0, first, second) }
        case .cast(let value, let type): return simpler(value).map { .cast($0, type) }
        case .subquery(let collection, let variable, let condition):
            return (simpler(condition) + [.constant(true)].filter { $0 != condition })
                .map { .subquery(collection, variable: variable, $0) }
        case .aggregate(let parts) where parts.count > 1:
            return parts.indices.map { place in
                var copy = parts
                copy.remove(at: place)
                return .aggregate(copy)
            }
        default: return []
        }
    }
}
