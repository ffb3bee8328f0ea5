public import DuramenModel

/// A question to a store: which objects, in which order, and which part of them.
public struct StoreQuery: Sendable, Hashable {
    /// The entity whose objects are asked for.
    public var entity: EntityID
    /// Whether objects of sub-entities belong to the answer.
    public var includesSubentities: Bool
    /// The condition; nil for all objects.
    public var predicate: FetchPredicate?
    /// The order; results that it leaves equal, or all without it, are ordered by key.
    public var sortDescriptors: [FetchSortDescriptor]
    /// How many results to skip.
    public var offset: Int
    /// How many results to give at most; nil for all.
    public var limit: Int?
    /// The slots whose values are asked for; nil for all. A store may leave the others of a row
    /// null, and does well to, where they cost much: nobody reads them.
    public var slots: SlotSet?
    /// Whether the versions of rows are asked for. Where ``slots`` are named and this is false, a
    /// store may leave them 0.
    public var needsVersions = true
    /// A flag that, when raised, ends the work with `.cancelled`.
    public var cancellation: CancellationFlag?

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

    /// Whether a part of the results is asked for.
    public var isWindowed: Bool { offset > 0 || limit != nil }
}
