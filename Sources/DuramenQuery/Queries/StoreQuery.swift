public import DuramenModel

/// A question to a store: which objects, in which order, and which part of them.
public struct StoreQuery: Sendable, Hashable {
    /// The entity whose objects are asked for.
    public var entity: EntityID { didSet { forget() } }
    /// Whether objects of sub-entities belong to the answer.
    public var includesSubentities: Bool { didSet { forget() } }
    /// The condition; nil for all objects.
    public var predicate: FetchPredicate? { didSet { forget() } }
    /// The order; results that it leaves equal, or all without it, are ordered by key.
    public var sortDescriptors: [FetchSortDescriptor] { didSet { forget() } }
    /// How many results to skip.
    public var offset: Int { didSet { forget() } }
    /// How many results to give at most; nil for all.
    public var limit: Int? { didSet { forget() } }
    /// The slots whose values are asked for; nil for all. A store may leave the others of a row null, and does
    /// well to, where they cost much: nobody reads them.
    public var slots: SlotSet? { didSet { forget() } }
    /// Whether the versions of rows are asked for. Where ``slots`` are named and this is false, a store may leave them 0.
    public var needsVersions = true { didSet { forget() } }
    /// A flag that, when raised, ends the work with `.cancelled`.
    public var cancellation: CancellationFlag? { didSet { forget() } }
    /// The store's preparation of the query: made while it answers the pushdown, used when it runs
    /// the pushed part.
    ///
    /// It goes with the first change of the query.
    public var preparation = QueryPreparation()

    /// Asks for objects of an entity.
    public init(
        entity: EntityID, includesSubentities: Bool = true, predicate: FetchPredicate? = nil,
        sortDescriptors: [FetchSortDescriptor] = [], offset: Int = 0, limit: Int? = nil,
        cancellation: CancellationFlag? = nil
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.offset = offset
        self.limit = limit
        self.cancellation = cancellation
    }

    private mutating func forget() { preparation = QueryPreparation() }

    /// Whether a part of the results is asked for.
    public var isWindowed: Bool { offset > 0 || limit != nil }
}

/// A store's preparation of a query, kept with the query. It does not affect the result.
public struct QueryPreparation: Sendable, Hashable {
    /// The object that the store prepared, or nil.
    public var value: (any AnyObject & Sendable)?

    /// Keeps what a store made.
    public init(_ value: (any AnyObject & Sendable)? = nil) { self.value = value }

    /// Always true: a query asks the same with it and without.
    public static func == (_: QueryPreparation, _: QueryPreparation) -> Bool { true }

    /// Adds nothing.
    public func hash(into hasher: inout Hasher) {}
}

/// The part of a query that a store answers itself, and the work left to do on its rows.
public struct Pushdown: Sendable, Hashable {
    /// The query that the store answers exactly, window and all.
    public var pushed: StoreQuery
    /// The condition left to check on each row; nil for none.
    public var residual: FetchPredicate?
    /// Whether the rows still have to be sorted.
    public var needsSorting: Bool
    /// Whether offset and limit still have to be applied.
    public var needsWindow: Bool

    /// Splits a query by what a store accepts.
    ///
    /// The conditions joined by `and` at the top are pushed one by one. The order is pushed only as a
    /// whole, and the window only when nothing else is left, so that the answer stays exact.
    /// What is too complex to be used is left for the evaluator to refuse; nobody is asked about
    /// it.
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
        self.pushed = pushed
    }

    /// The split of a store that answers the whole query.
    public static func whole(_ query: StoreQuery) -> Pushdown { Pushdown(whole: query) }

    private init(whole query: StoreQuery) {
        pushed = query
        residual = nil
        needsSorting = false
        needsWindow = false
    }

    /// The split of a store that only walks through an entity's rows, in no promised order.
    public static func none(for query: StoreQuery) -> Pushdown {
        Pushdown(splitting: query, accepts: { _ in false }, acceptsOrder: { _ in false })
    }
}
