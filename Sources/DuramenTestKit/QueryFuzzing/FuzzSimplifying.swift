import DuramenModel
import DuramenQuery

/// Simplifies questions by leaving out a part.
enum FuzzSimplifying {
    static func simpler(_ question: FuzzQuestion) -> [FuzzQuestion] {
        switch question {
        case .objects(let query, let answer):
            (answer == .objectIDs ? [] : [.objects(query, .objectIDs)])
                + simpler(query).map { .objects($0, answer) }
        case .results(let query): simpler(query).map { .results($0) }
        }
    }

    private static func simpler(_ query: StoreQuery) -> [StoreQuery] {
        var candidates: [StoreQuery] = []
        func add(_ change: (inout StoreQuery) -> Void) {
            var copy = query
            change(&copy)
            if copy != query { candidates.append(copy) }
        }
        add { $0.sortDescriptors = [] }
        add { ($0.offset, $0.limit) = (0, nil) }
        add { $0.slots = nil }
        add { $0.includesSubentities = true }
        add { $0.predicate = nil }
        for place in query.sortDescriptors.indices { add { $0.sortDescriptors.remove(at: place) } }
        for predicate in query.predicate.map(simpler) ?? [] { add { $0.predicate = predicate } }
        return candidates
    }

    private static func simpler(_ query: ResultQuery) -> [ResultQuery] {
        var candidates: [ResultQuery] = []
        func add(_ change: (inout ResultQuery) -> Void) {
            var copy = query
            change(&copy)
            if copy != query { candidates.append(copy) }
        }
        add { $0.sortDescriptors = [] }
        add { ($0.offset, $0.limit) = (0, nil) }
        add { $0.includesSubentities = true }
        add { $0.predicate = nil }
        add { $0.having = nil }
        add { $0.isDistinct = false }
        for place in query.groupBy.indices { add { $0.groupBy.remove(at: place) } }
        if query.columns.count > 1 {
            for place in query.columns.indices { add { $0.columns.remove(at: place) } }
        }
        for place in query.sortDescriptors.indices { add { $0.sortDescriptors.remove(at: place) } }
        for predicate in query.predicate.map(simpler) ?? [] { add { $0.predicate = predicate } }
        for having in query.having.map(simpler) ?? [] { add { $0.having = having } }
        for place in query.columns.indices {
            for expression in simpler(query.columns[place].expression) {
                add { $0.columns[place].expression = expression }
            }
        }
        return candidates
    }

    static func simpler(_ predicate: FetchPredicate) -> [FetchPredicate] {
        switch predicate.form {
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
        switch expression.form {
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
        case .cast(let value, let type): return [value] + simpler(value).map { .cast($0, type) }
        case .subquery(let collection, let variable, let condition):
            return (simpler(condition) + [.constant(true)].filter { $0 != condition })
                .map { .subquery(collection, variable: variable, $0) } + [collection]
        case .aggregate(let parts) where parts.count > 1:
            return parts.indices.map { place in
                var copy = parts
                copy.remove(at: place)
                return .aggregate(copy)
            }
        case .list(let values) where values.count > 1:
            return values.indices.map { place in
                var copy = values
                copy.remove(at: place)
                return .list(copy)
            }
        case .property(let base, let path): return simpler(base).map { .property($0, path) }
        default: return []
        }
    }
}
