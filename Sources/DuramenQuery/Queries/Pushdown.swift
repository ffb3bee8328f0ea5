/// The part of a query that a store answers itself, and the work left to do on its rows.
public struct Pushdown: Sendable, Hashable {
    /// The query that the store answers exactly, window and all, as its snapshots receive it.
    public var prepared: PreparedQuery
    /// The condition left to check on each row; nil for none.
    public var residual: FetchPredicate?
    /// Whether the rows still have to be sorted.
    public var needsSorting: Bool
    /// Whether offset and limit still have to be applied.
    public var needsWindow: Bool

    /// The query of ``prepared``.
    public var pushed: StoreQuery { prepared.query }

    /// Splits a query by what a store accepts.
    ///
    /// The conditions joined by `and` at the top are pushed one by one. The order is pushed only as
    /// a whole, and the window only when nothing else is left, so that the answer stays exact. What
    /// is too complex to be used is left for the evaluator to refuse; nobody is asked about it.
    /// - Parameters:
    ///   - accepts: Whether the store answers a condition exactly as the evaluator would.
    ///   - acceptsOrder: Whether the store orders exactly as the evaluator would.
    public init(
        splitting query: StoreQuery, accepts: (FetchPredicate) -> Bool,
        acceptsOrder: ([FetchSortDescriptor]) -> Bool
    ) {
        var pushed = query
        switch query.predicate?.form {
        case nil: residual = nil
        case .and(let parts)? where query.predicate?.isTooComplex == false:
            // Asked once for each: what accepts conditions compiles them.
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
        // What is left to do may read any slot.
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

    /// The split of a store that answers the whole query.
    ///
    /// - Parameter preparation: What the store prepared for its snapshots; see ``PreparedQuery``.
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

    /// The split of a store that only walks through an entity's rows, in no promised order.
    public static func none(for query: StoreQuery) -> Pushdown {
        Pushdown(splitting: query, accepts: { _ in false }, acceptsOrder: { _ in false })
    }
}
