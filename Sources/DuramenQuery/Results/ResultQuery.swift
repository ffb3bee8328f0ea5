public import DuramenModel

/// A question to a store whose answer is a table of values instead of objects.
///
/// ```
///   rows ──group──► groups ──having──► columns ──distinct──► sort ──► window ──► results
/// ```
/// - Without aggregates and groups, each row that the predicate holds for gives one result.
/// - With them, each group gives one. Rows belong to one group when they have the same values at
///   the end of all ``groupBy`` paths; null is a value like any other there. A column may then
///   consist of these paths, of aggregates and of constants. Without paths all rows are one group,
///   also when there are none: counts and sums are 0 then, other aggregates null.
/// - Aggregates leave nulls out, and do not depend on the order of the rows.
/// - To-ones give object IDs, transformable attributes the bytes that are stored.
///
/// Two values are the same when the law of stores calls them equal: numbers by value, text by its
/// bytes. Results have one order on every store. Without sort descriptors it is that of the object
/// IDs, of the groups' values in the order of ``groupBy``, or, for distinct results, of all
/// columns; with them, what they leave equal is ordered by all columns. Each of these is ascending,
/// null first.
public struct ResultQuery: Sendable, Hashable {
    /// The entity whose objects are looked at.
    public var entity: EntityID
    /// Whether objects of sub-entities are looked at too.
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
    /// Whether each different result occurs once.
    public var isDistinct: Bool
    /// The sort descriptors. A key path names a column, or else a grouped key path. If results are
    /// neither grouped nor distinct, it may name any attribute.
    public var sortDescriptors: [FetchSortDescriptor]
    /// How many results to skip.
    public var offset: Int
    /// How many results to give at most; nil for all.
    public var limit: Int?
    /// A flag that, when raised, ends the work with `.cancelled`.
    public var cancellation: CancellationFlag?

    /// Asks for columns.
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

    /// The query of the rows that results are made of, all of them, in no order that matters.
    public var rows: StoreQuery {
        StoreQuery(
            entity: entity, includesSubentities: includesSubentities, predicate: predicate,
            cancellation: cancellation)
    }
}
