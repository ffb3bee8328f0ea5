public import DuramenModel

/// The results of a fetch, which knows their IDs and reads the objects batch by batch, when they
/// are reached.
///
/// ```swift
/// let quakes = try context.fetchLazily(FetchRequest<Quake>().sorted(by: \.time).batches(of: 50))
/// print(quakes.count, quakes[70_000].code)     // one query for the IDs, one for the batch
/// ```
/// Count, indices, slices and ``objectIDs`` read nothing. Walking through, `map`, `filter` and
/// `sorted` read what they reach. Three batches are kept; what was let go of is read again when it
/// is reached again, so that a walk needs the memory of a few batches however long the list is,
/// unless somebody holds the objects.
///
/// Which objects there are, and in which order, is as it was when they were fetched; unsaved
/// changes took part. An object that somebody deleted since is there as a fault whose values cannot
/// be read.
public struct LazyFetchResults<Element: ManagedObject> {
    private let batches: FetchedBatches

    init(_ batches: FetchedBatches) { self.batches = batches }

    /// The IDs of the objects, in order. None is read.
    public var objectIDs: [ManagedObjectID] { batches.ids }

    /// How many objects are read at once.
    public var batchSize: Int { batches.size }

    /// Whether an object is among the results. None is read.
    public func contains(_ element: Element) -> Bool { firstIndex(of: element) != nil }

    /// The index of an object; nil when it is not among the results. None is read.
    public func firstIndex(of element: Element) -> Int? { batches.index(of: element) }
}

extension LazyFetchResults: RandomAccessCollection {
    /// The index of the first object.
    public var startIndex: Int { 0 }

    /// The number of objects. None is read.
    public var endIndex: Int { batches.ids.count }

    /// Returns the object at a position, and loads its batch if necessary. An object that cannot be
    /// loaded is a fault, which reports the reason when a property is read.
    public subscript(position: Int) -> Element {
        // Sound: the classes of all entities of the results were checked.
        unsafeDowncast(batches.object(at: position), to: Element.self)
    }
}

@available(*, unavailable, message: "results belong to their context; pass objectIDs")
extension LazyFetchResults: Sendable {}

extension ManagedObjectContext {
    /// Fetches the IDs of objects, and the objects batch by batch when they are reached.
    ///
    /// Relationships to prefetch are read with each batch. Which properties are to be fetched, and
    /// whether results may be faults, makes no difference.
    /// - Parameter isolation: The owner of the context, filled in by the compiler.
    /// - Throws: As ``fetch(_:isolation:)``; ``ContextError`` `.invalidRequest` for a
    ///   ``FetchRequest/fetchBatchSize`` below 1.
    public func fetchLazily<Object: ManagedObject>(
        _ request: FetchRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) throws -> LazyFetchResults<Object> {
        enter(isolation)
        noticeStores()
        return LazyFetchResults(
            try FetchedBatches(ErasedFetchRequest(request), size: request.fetchBatchSize, in: self)
        )
    }
}
