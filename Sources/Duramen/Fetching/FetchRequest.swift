public import DuramenModel
public import DuramenQuery

/// A description of the objects to fetch: their entity, condition, order and range.
///
/// ```swift
/// FetchRequest<Quake>().where { $0.magnitude >= 6 }.sorted(by: \.time, .descending).limit(50)
/// ```
public struct FetchRequest<Object: ManagedObject>: Sendable {
    /// The entity's name; nil for the entity of the class.
    public var entityName: String?
    /// The condition; nil for all objects.
    public var predicate: FetchPredicate?
    /// The sort descriptors, in order of precedence. Objects with equal sort keys are ordered by
    /// ID.
    public var sortDescriptors: [FetchSortDescriptor] = []
    /// The number of results to skip.
    public var fetchOffset = 0
    /// The most results to return; nil for all.
    ///
    /// 0 returns no results; in `NSFetchRequest` it returns all.
    public var fetchLimit: Int?
    /// Whether objects of subentities are included.
    public var includesSubentities = true
    /// Whether unsaved changes take part. If false, stored values decide which objects are
    /// returned, but the objects still have their changes.
    public var includesPendingChanges = true
    /// Whether registered objects get the fetched values. Unchanged objects also reload their
    /// to-manys. Changed objects of the fetched entity keep their edits. If another save changed an
    /// edited property, the object also keeps its base value, so that a save reports the conflict.
    public var shouldRefreshRefetchedObjects = false
    /// The relationships whose destinations are loaded together with the results, such as
    /// `"region.stations"`. See ``prefetching(_:)``.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The attributes and to-ones to load; empty for all. See ``fetchingOnly(_:)``.
    public var propertiesToFetch: [String] = []
    /// Whether values are loaded. If false, the fetch loads IDs and returns faults, which are
    /// loaded in groups when they are used.
    public var includesPropertyValues = true
    /// Whether results may be faults. They are faults if the request does not load all values, or
    /// if an object's row is damaged. If false, all values are loaded before the fetch returns, and
    /// the fetch throws if a value cannot be loaded. In both cases values are decoded when they are
    /// read.
    public var returnsObjectsAsFaults = true
    /// The number of objects that a lazy result loads at once; see
    /// ``ManagedObjectContext/fetchLazily(_:isolation:)``. Other fetches return arrays and ignore
    /// it.
    public var fetchBatchSize = 100
    /// The stores to fetch from; nil for all that contain the entity. Stores that are not in the
    /// container are ignored.
    public var affectedStores: [StoreHandle]?
    /// A flag that cancels the fetch with `.cancelled` when raised.
    public var cancellation: CancellationFlag?

    /// Creates a request for objects of the class's entity.
    public init() {}

    /// Creates a request for objects of the named entity.
    public init(entityName: String) { self.entityName = entityName }

    /// Returns a copy of the request with a further condition, joined by `and`.
    public func `where`(_ condition: (EntityPath<Object>) -> FetchPredicate) -> Self {
        self.where(FetchPredicate(Object.self, condition))
    }

    /// Returns a copy of the request with a further condition, joined by `and`.
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

    /// Returns a copy of the request with a further sort key of lower precedence.
    public func sorted<Value: PredicateValue>(
        by keyPath: KeyPath<Object, Value>, _ direction: FetchSortDirection = .ascending
    ) -> Self {
        sorted(by: FetchSortDescriptor(keyPath, ascending: direction == .ascending))
    }

    /// Returns a copy of the request with a further sort key of lower precedence.
    public func sorted<Value: PredicateValue>(
        by keyPath: KeyPath<Object, Value?>, _ direction: FetchSortDirection = .ascending
    ) -> Self {
        sorted(by: FetchSortDescriptor(keyPath, ascending: direction == .ascending))
    }

    /// Returns a copy of the request with a further sort key, such as `"region.name"`.
    public func sorted(
        by keyPath: String, _ direction: FetchSortDirection = .ascending
    ) -> Self {
        sorted(by: FetchSortDescriptor(keyPath, ascending: direction == .ascending))
    }

    /// Returns a copy of the request with a further sort key of lower precedence.
    public func sorted<Value: PredicateValue>(
        by keyPath: KeyPath<Object, Value>, ascending: Bool
    ) -> Self { sorted(by: FetchSortDescriptor(keyPath, ascending: ascending)) }

    /// Returns a copy of the request with a further sort key of lower precedence.
    public func sorted<Value: PredicateValue>(
        by keyPath: KeyPath<Object, Value?>, ascending: Bool
    ) -> Self { sorted(by: FetchSortDescriptor(keyPath, ascending: ascending)) }

    /// Returns a copy of the request with a further sort key, such as `"tags.@count"`.
    public func sorted(by keyPath: String, ascending: Bool) -> Self {
        sorted(by: FetchSortDescriptor(keyPath, ascending: ascending))
    }

    /// Returns a copy of the request with a further sort descriptor of lower precedence.
    public func sorted(by descriptor: FetchSortDescriptor) -> Self {
        var copy = self
        copy.sortDescriptors.append(descriptor)
        return copy
    }

    /// Returns a copy of the request that fetches only from the given stores.
    public func affectedStores(_ stores: [StoreHandle]) -> Self {
        var copy = self
        copy.affectedStores = stores
        return copy
    }

    /// Returns a copy of the request with a limit. `limit(0)` returns no results; set
    /// ``fetchLimit`` to nil for all.
    public func limit(_ count: Int) -> Self {
        var copy = self
        copy.fetchLimit = count
        return copy
    }

    /// Returns a copy of the request that skips a number of results.
    public func offset(_ count: Int) -> Self {
        var copy = self
        copy.fetchOffset = count
        return copy
    }
}

/// The direction of a sort key.
public enum FetchSortDirection: Sendable, Hashable {
    /// Small values come first.
    case ascending
    /// Large values come first.
    case descending
}
