public import DuramenModel

/// The content of a batch request's result. The raw values are Core Data's.
public enum BatchResultType: Int, Sendable, Hashable, CaseIterable {
    /// Nothing but the count, which costs nothing.
    case statusOnly = 0
    /// The IDs of the objects, too.
    case objectIDs = 1
    /// The count.
    case count = 2
}

/// The result of a batch request.
public struct BatchResult: Sendable, Hashable {
    /// The number of objects that the request inserted or updated. For a deletion, the number of
    /// objects that it was asked to delete.
    public var count = 0
    /// The objects that ``count`` counts. Empty unless the request asks for
    /// ``BatchResultType/objectIDs``.
    public var objectIDs: [ManagedObjectID] = []
    /// The IDs of all new, changed and deleted objects, including those that a delete rule changed.
    /// Empty unless the request asks for ``BatchResultType/objectIDs``.
    ///
    /// Contexts of the container are told without it; it is for those that merge nothing by
    /// themselves, see ``ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
    public var changedObjectIDs = ChangedObjectIDs()
}
