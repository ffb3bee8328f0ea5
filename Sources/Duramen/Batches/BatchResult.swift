public import DuramenModel

/// The kind of result that a batch request returns. The raw values are Core Data's.
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
    /// The number of objects that the request covered. An insertion counts objects inserted, or
    /// updated instead. An update counts the objects that match the request. A deletion counts the
    /// objects that the request asked to delete.
    public var count = 0
    /// The objects that ``count`` counts. Empty unless the request asks for ``BatchResultType/objectIDs``.
    public var objectIDs: [ManagedObjectID] = []
    /// Every object that is new, changed or deleted, of whatever entity: those that a delete rule reached, too. Empty
    /// unless the request asks for ``BatchResultType/objectIDs``.
    ///
    /// Contexts of the container are told without it; it is for those that merge nothing by themselves, see
    /// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
    public var changedObjectIDs = ChangedObjectIDs()
}
