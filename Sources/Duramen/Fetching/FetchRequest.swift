public import DuramenModel
public import DuramenQuery

/// Which objects to fetch, in which order, and which part of them: a value to build up and keep.
///
/// ```swift
/// FetchRequest<Quake>().where { $0.magnitude >= 6 }.sorted(by: \.time, .descending).limit(50)
/// ```
public struct FetchRequest<Object: ManagedObject>: Sendable {
    /// The entity's name; nil for the entity of the class.
    public var entityName: String?
    /// The condition; nil for all objects.
    public var predicate: FetchPredicate?
    /// The sort descriptors, in order of precedence. Objects that they leave equal are ordered by
    /// ID.
    public var sortDescriptors: [FetchSortDescriptor] = []
    /// How many results to skip.
    public var fetchOffset = 0
    /// How many results to give at most; nil for all.
    ///
    /// 0 gives no results, unlike the 0 of `NSFetchRequest`, which gives all.
    public var fetchLimit: Int?
    /// Whether objects of sub-entities belong to the result.
    public var includesSubentities = true
    /// Whether changes that are not saved yet take part. Without them, membership is what is
    /// stored, while the objects show their changes.
    public var includesPendingChanges = true
    /// Whether registered objects take over the fetched values. Unchanged objects also reload their
    /// to-manys. Changed objects of the fetched entity keep their edits. Where somebody else
    /// changed an edited property, the object also keeps its base value, so that a save reports the
    /// conflict.
    public var shouldRefreshRefetchedObjects = false
    /// The relationships whose destinations are loaded together with the results, such as
    /// `"region.stations"`. See ``prefetching(_:)``.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The attributes and to-ones to read; empty for all. See ``fetchingOnly(_:)``.
    public var propertiesToFetch: [String] = []
    /// Whether values are read at all. Without, a fetch reads IDs and gives faults, which are read
    /// in groups when they are needed.
    public var includesPropertyValues = true
    /// Whether results may be faults: if the request does not load all values, or an object's row
    /// is damaged. If false, all values are loaded before the fetch returns, and the fetch throws
    /// if one cannot be read. In both cases values are decoded when they are needed.
    public var returnsObjectsAsFaults = true
    /// How many objects a lazy result reads at once; see
    /// ``ManagedObjectContext/fetchLazily(_:isolation:)``. An array, which other fetches give, has
    /// all its objects from the beginning.
    public var fetchBatchSize = 100
    /// The stores to ask; nil for all that keep the entity. One that the container does not have
    /// has no objects.
    public var affectedStores: [StoreHandle]?
    /// A flag that, when raised, ends the fetch with `.cancelled`.
    public var cancellation: CancellationFlag?

    /// Asks for objects of the class's entity.
    public init() {}

    /// Asks for objects of an entity by its name.
    public init(entityName: String) { self.entityName = entityName }

    /// Adds a condition, joined by `and`.
    public func `where`(_ condition: (EntityPath<Object>) -> FetchPredicate) -> Self {
        self.where(FetchPredicate(Object.self, condition))
    }

    /// Adds a condition, joined by `and`.
    public func `where`(_ condition: FetchPredicate) -> Self {
        var copy = self
        copy.predicate =
            switch (predicate, predicate?.form) {
            case (nil, _): condition
            case (_, .and(let parts)?): .and(parts + [condition])
            case (let old?, _): .and([old, condition])
            }
        return copy
    }

    /// Adds a sort key of less weight than those before.
    public func sorted<Value: PredicateValue>(
        by keyPath: KeyPath<Object, Value>, _ direction: FetchSortDirection = .ascending
    ) -> Self {
        sorted(by: FetchSortDescriptor(keyPath, ascending: direction == .ascending))
    }

    /// Adds a sort key of less weight than those before.
    public func sorted<Value: PredicateValue>(
        by keyPath: KeyPath<Object, Value?>, _ direction: FetchSortDirection = .ascending
    ) -> Self {
        sorted(by: FetchSortDescriptor(keyPath, ascending: direction == .ascending))
    }

    /// Adds a sort key of less weight than those before, such as `"region.name"`.
    public func sorted(
        by keyPath: String, _ direction: FetchSortDirection = .ascending
    ) -> Self {
        sorted(by: FetchSortDescriptor(keyPath, ascending: direction == .ascending))
    }

    /// Adds a sort key of less weight than those before.
    public func sorted<Value: PredicateValue>(
        by keyPath: KeyPath<Object, Value>, ascending: Bool
    ) -> Self { sorted(by: FetchSortDescriptor(keyPath, ascending: ascending)) }

    /// Adds a sort key of less weight than those before.
    public func sorted<Value: PredicateValue>(
        by keyPath: KeyPath<Object, Value?>, ascending: Bool
    ) -> Self { sorted(by: FetchSortDescriptor(keyPath, ascending: ascending)) }

    /// Adds a sort key of less weight than those before, such as `"tags.@count"`.
    public func sorted(by keyPath: String, ascending: Bool) -> Self {
        sorted(by: FetchSortDescriptor(keyPath, ascending: ascending))
    }

    /// Adds a sort key of less weight than those before.
    public func sorted(by descriptor: FetchSortDescriptor) -> Self {
        var copy = self
        copy.sortDescriptors.append(descriptor)
        return copy
    }

    /// Asks some stores only.
    public func affectedStores(_ stores: [StoreHandle]) -> Self {
        var copy = self
        copy.affectedStores = stores
        return copy
    }

    /// Gives at most so many results. `limit(0)` gives none; set ``fetchLimit`` to nil for all.
    public func limit(_ count: Int) -> Self {
        var copy = self
        copy.fetchLimit = count
        return copy
    }

    /// Skips so many results.
    public func offset(_ count: Int) -> Self {
        var copy = self
        copy.fetchOffset = count
        return copy
    }
}

/// Which values come first.
public enum FetchSortDirection: Sendable, Hashable {
    /// Small ones.
    case ascending
    /// Large ones.
    case descending
}
