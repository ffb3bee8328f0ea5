public import DuramenModel

/// The content of a batch request's result. The raw values are Core Data's.
public enum BatchResultType: Int, Sendable, Hashable, CaseIterable {
    /// The count only, which costs nothing.
    case statusOnly = 0
    /// The count and the IDs of the objects.
    case objectIDs = 1
    /// The count.
    case count = 2
}

/// The result of a batch request.
public struct BatchResult: Sendable, Hashable {
    /// The number of objects that the request inserted or updated. For a deletion, the number of
    /// objects that the request selected.
    public var count = 0
    /// The IDs of the objects that ``count`` counts. Empty unless the request asks for
    /// ``BatchResultType/objectIDs``.
    public var objectIDs: [ManagedObjectID] = []
    /// The IDs of all inserted, updated and deleted objects, including objects that a delete rule
    /// changed. Empty unless the request asks for ``BatchResultType/objectIDs``.
    ///
    /// Contexts of the container are notified without it. Use it for contexts that do not merge
    /// automatically; see ``ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
    public var changedObjectIDs = ChangedObjectIDs()
}
