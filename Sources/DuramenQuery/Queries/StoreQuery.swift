public import DuramenModel

/// A query to a store: the objects to find, their order, and the part of them to return.
public struct StoreQuery: Sendable, Hashable {
    /// The entity whose objects are queried.
    public var entity: EntityID
    /// Whether objects of sub-entities are included.
    public var includesSubentities: Bool
    /// The condition; nil for all objects.
    public var predicate: FetchPredicate?
    /// The order. Results that it leaves equal are ordered by key.
    public var sortDescriptors: [FetchSortDescriptor]
    /// The number of results to skip.
    public var offset: Int
    /// The maximum number of results; nil for all.
    public var limit: Int?
    /// The slots to load; nil for all. A store may leave all other slots of a row null, and should
    /// do so if they are expensive.
    public var slots: SlotSet?
    /// Whether the versions of rows are needed. If ``slots`` are set and this is false, a store may
    /// leave them 0.
    public var needsVersions = true
    /// A flag that, when raised, ends the work with `.cancelled`.
    public var cancellation: CancellationFlag?

    /// Creates a query for objects of an entity.
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

    /// Whether only a part of the results is queried.
    public var isWindowed: Bool { offset > 0 || limit != nil }
}
