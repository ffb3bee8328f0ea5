public import DuramenModel

/// A query to a store for a table of values instead of objects.
///
/// ```
///   rows ──group──► groups ──having──► columns ──distinct──► sort ──► window ──► results
/// ```
/// - Without aggregates and groups, each row that satisfies the predicate makes one result.
/// - With them, each group makes one result. Rows belong to one group if their values at the end of
///   all ``groupBy`` paths are equal; null equals null here. A column may then consist of these
///   paths, of aggregates and of constants. Without paths, all rows are one group, even if there
///   are none: counts and sums are then 0, other aggregates null.
/// - Aggregates ignore nulls, and do not depend on the order of the rows.
/// - To-ones have object IDs as values, and transformable attributes the stored bytes.
///
/// Values are compared as in predicates: numbers by value, text by its bytes. Results have one
/// order on every store. Without sort descriptors, results of rows are ordered by the object IDs.
/// Groups are ordered by their values in the order of ``groupBy``, and distinct results by all
/// columns. With sort descriptors, results that these leave equal are ordered by all columns. All
/// these orders are ascending, with null first.
public struct ResultQuery: Sendable, Hashable {
    /// The entity whose objects are queried.
    public var entity: EntityID
    /// Whether objects of sub-entities are included.
    public var includesSubentities: Bool
    /// The condition on the objects; nil for all.
    public var predicate: FetchPredicate?
    /// The columns of a result, in order.
    public var columns: [ResultColumn]
    /// The key paths to group by: attributes and to-ones, reached through to-ones.
    public var groupBy: [[String]]
    /// A condition on groups. It names a column as a variable (`$total > 100`) or as a key path
    /// (`total > 100`), or calculates an aggregate (`sum(magnitude) > 100`). A column has
    /// precedence over a grouped key path of the same name.
    public var having: FetchPredicate?
    /// Whether duplicate results are removed.
    public var isDistinct: Bool
    /// The sort descriptors. A key path names a column, or else a grouped key path. If results are
    /// neither grouped nor distinct, it may name any attribute.
    public var sortDescriptors: [FetchSortDescriptor]
    /// The number of results to skip.
    public var offset: Int
    /// The maximum number of results; nil for all.
    public var limit: Int?
    /// A flag that, when raised, ends the work with `.cancelled`.
    public var cancellation: CancellationFlag?

    /// Creates a query for columns.
    public init(
        entity: EntityID, includesSubentities: Bool = true, predicate: FetchPredicate? = nil,
        columns: [ResultColumn], groupBy: [[String]] = [], having: FetchPredicate? = nil,
        isDistinct: Bool = false, sortDescriptors: [FetchSortDescriptor] = [], offset: Int = 0,
        limit: Int? = nil, cancellation: CancellationFlag? = nil
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.columns = columns
        self.groupBy = groupBy
        self.having = having
        self.isDistinct = isDistinct
        self.sortDescriptors = sortDescriptors
        self.offset = offset
        self.limit = limit
        self.cancellation = cancellation
    }

    /// The query for all rows of the results, in any order.
    public var rows: StoreQuery {
        StoreQuery(
            entity: entity, includesSubentities: includesSubentities, predicate: predicate,
            cancellation: cancellation)
    }
}
