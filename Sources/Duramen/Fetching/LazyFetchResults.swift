public import DuramenModel

/// A fetch result that holds the IDs of all objects and loads the objects in batches when they are
/// accessed.
///
/// ```swift
/// let quakes = try context.fetchLazily(FetchRequest<Quake>().sorted(by: \.time).batches(of: 50))
/// print(quakes.count, quakes[70_000].code)     // one query for the IDs, one for the batch
/// ```
/// Count, indices, slices and ``objectIDs`` load nothing. Iteration, `map`, `filter` and `sorted`
/// load the objects that they access. Three batches are kept; other batches are loaded again when
/// they are accessed again. So an iteration needs the memory of a few batches, however long the
/// list is, unless you keep the objects.
///
/// The objects and their order are those at the time of the fetch, unsaved changes included. An
/// object that was deleted since is a fault whose values cannot be loaded.
public struct LazyFetchResults<Element: ManagedObject> {
    private let batches: FetchedBatches

    init(_ batches: FetchedBatches) { self.batches = batches }

    /// The IDs of the objects, in order. Loads no object.
    public var objectIDs: [ManagedObjectID] { batches.ids }

    /// The number of objects that are loaded at once.
    public var batchSize: Int { batches.size }

    /// Whether an object is among the results. Loads no object.
    public func contains(_ element: Element) -> Bool { firstIndex(of: element) != nil }

    /// Returns the index of an object; nil if it is not among the results. Loads no object.
    public func firstIndex(of element: Element) -> Int? { batches.index(of: element) }
}

extension LazyFetchResults: RandomAccessCollection {
    /// The index of the first object.
    public var startIndex: Int { 0 }

    /// The number of objects. Loads no object.
    public var endIndex: Int { batches.ids.count }

    /// Returns the object at a position, and loads its batch if needed. An object that cannot be
    /// loaded is a fault, which reports the error when a property is read.
    public subscript(position: Int) -> Element {
        // Sound: the classes of all entities of the results were checked.
        unsafeDowncast(batches.object(at: position), to: Element.self)
    }
}

@available(*, unavailable, message: "results belong to their context; pass objectIDs")
extension LazyFetchResults: Sendable {}

extension ManagedObjectContext {
    /// Fetches the IDs of objects, and returns a list that loads the objects in batches when they
    /// are accessed.
    ///
    /// Relationships to prefetch are loaded with each batch. The request's properties to fetch, and
    /// whether results may be faults, are ignored.
    /// - Parameters:
    ///   - request: The objects to fetch.
    ///   - isolation: The isolation that the call runs in; leave it out.
    /// - Throws: The errors of ``fetch(_:isolation:)``. ``ContextError`` `.invalidRequest` for a
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
