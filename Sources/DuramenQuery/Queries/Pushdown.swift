/// The part of a query that a store answers itself, and the remaining work on its rows.
public struct Pushdown: Sendable, Hashable {
    /// The query that the store answers exactly, including its window; its snapshots receive it.
    public var prepared: PreparedQuery
    /// The remaining condition for each row; nil for none.
    public var residual: FetchPredicate?
    /// Whether the rows still have to be sorted.
    public var needsSorting: Bool
    /// Whether offset and limit still have to be applied.
    public var needsWindow: Bool

    /// The query of ``prepared``.
    public var pushed: StoreQuery { prepared.query }

    /// Splits a query by the parts that a store accepts.
    ///
    /// The conditions joined by `and` at the top are pushed one by one. The order is pushed only as
    /// a whole, and the window only if nothing else remains, so that the result stays exact. A
    /// predicate that is too complex is left for the evaluator, which rejects it.
    /// - Parameters:
    ///   - query: The query to split.
    ///   - accepts: Returns whether the store evaluates a condition exactly as the evaluator does.
    ///   - acceptsOrder: Returns whether the store orders exactly as the evaluator does.
    public init(
        splitting query: StoreQuery, accepts: (FetchPredicate) -> Bool,
        acceptsOrder: ([FetchSortDescriptor]) -> Bool
    ) {
        var pushed = query
        switch query.predicate?.form {
        case nil: residual = nil
        case .and(let parts)? where query.predicate?.isTooComplex == false:
            // Once for each: `accepts` compiles the conditions that it accepts.
            var mine: [FetchPredicate] = []
            var rest: [FetchPredicate] = []
            for part in parts {
                if accepts(part) { mine.append(part) } else { rest.append(part) }
            }
            pushed.predicate = mine.isEmpty ? nil : .and(mine)
            residual = rest.isEmpty ? nil : .and(rest)
        default:
            let mine = query.predicate.map { !$0.isTooComplex && accepts($0) } ?? true
            residual = mine ? nil : query.predicate
            if !mine { pushed.predicate = nil }
        }
        needsSorting =
            query.sortDescriptors.contains(where: \.keyPath.isTooLong)
            || !acceptsOrder(query.sortDescriptors)
        needsWindow = query.isWindowed && (residual != nil || needsSorting)
        // The remaining work may need any slot.
        if residual != nil || needsSorting {
            pushed.slots = nil
            pushed.needsVersions = true
        }
        if needsSorting { pushed.sortDescriptors = [] }
        if needsWindow {
            pushed.offset = 0
            pushed.limit = nil
        }
        prepared = PreparedQuery(pushed)
    }

    /// Returns the split for a store that answers the whole query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - preparation: The store's preparation for its snapshots; see ``PreparedQuery``.
    public static func whole(
        _ query: StoreQuery, preparation: (any AnyObject & Sendable)? = nil
    ) -> Pushdown {
        Pushdown(whole: PreparedQuery(query, preparation: preparation))
    }

    private init(whole query: PreparedQuery) {
        prepared = query
        residual = nil
        needsSorting = false
        needsWindow = false
    }

    /// Returns the split for a store that only scans an entity's rows, in any order.
    public static func none(for query: StoreQuery) -> Pushdown {
        Pushdown(splitting: query, accepts: { _ in false }, acceptsOrder: { _ in false })
    }
}
