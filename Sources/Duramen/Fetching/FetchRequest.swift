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
    /// The sort order. Results that it leaves equal are sorted by ID.
    public var sortDescriptors: [FetchSortDescriptor] = []
    /// How many results to skip.
    public var fetchOffset = 0
    /// How many results to give at most; nil for all.
    public var fetchLimit: Int?
    /// Whether objects of sub-entities belong to the result.
    public var includesSubentities = true
    /// Whether changes that are not saved yet take part. Without them, membership is what is stored,
    /// while the objects show their changes.
    public var includesPendingChanges = true
    /// Whether already registered objects take over the fetched values. Unchanged objects reload
    /// their to-manys, too. All changed objects of the requested entity keep their edits. Values
    /// that were edited here and changed by somebody else keep their base, so that a save reports
    /// the conflict.
    public var shouldRefreshRefetchedObjects = false
    /// The relationships whose objects are read along with the results, such as `"region.stations"`. See
    /// ``prefetching(_:)``.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The attributes and to-ones to read; empty for all. See ``fetchingOnly(_:)``.
    public var propertiesToFetch: [String] = []
    /// Whether values are read at all. Without, a fetch reads IDs and gives faults, which are read in groups
    /// when they are needed.
    public var includesPropertyValues = true
    /// Whether results may be faults. That happens where the request says that not all values are to be read,
    /// and for an object whose row is damaged. With false all values are read before the fetch returns,
    /// which throws when one of them cannot be read. Values are decoded when they are needed in any case.
    public var returnsObjectsAsFaults = true
    /// How many objects a lazy result reads at once; see ``ManagedObjectContext/fetchLazily(_:isolation:)``.
    /// An array, which other fetches give, has all its objects from the beginning.
    public var fetchBatchSize = 100
    /// The stores to ask; nil for all that keep the entity. One that the container does not have has no
    /// objects.
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

    /// Gives at most so many results.
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
