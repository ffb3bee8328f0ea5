public import DuramenModel
public import DuramenQuery

/// Which stored objects to delete, without making objects of them.
///
/// ```swift
/// let old = FetchRequest<Quake>().where { $0.time < lastYear }
/// let result = try context.execute(BatchDeleteRequest(old))
/// ```
/// See ``ManagedObjectContext/execute(_:isolation:)-(BatchDeleteRequest<Object>,_)``.
public struct BatchDeleteRequest<Object: ManagedObject>: Sendable {
    enum Selection: Sendable {
        case request(FetchRequest<Object>)
        case objectIDs([ManagedObjectID])
    }

    let selection: Selection
    /// The content of the result: a status, a count or the object IDs.
    public var resultType = BatchResultType.statusOnly
    /// The stores to delete from; nil for all that keep the entity.
    public var affectedStores: [StoreHandle]?
    /// A flag that, when raised, ends the request with `.cancelled`; nothing is written then.
    public var cancellation: CancellationFlag?
    /// A closure that receives the number of objects found so far, after every thousand deletions.
    public var progress: (@Sendable (Int) -> Void)?

    /// Deletes what a request would fetch from the store: its window counts, unsaved changes do
    /// not.
    public init(_ fetchRequest: FetchRequest<Object>) {
        selection = .request(fetchRequest)
        affectedStores = fetchRequest.affectedStores
        cancellation = fetchRequest.cancellation
    }

    /// Deletes what a request would fetch from the store, as ``init(_:)`` does.
    public init(fetchRequest: FetchRequest<Object>) { self.init(fetchRequest) }
}

extension BatchDeleteRequest where Object == ManagedObject {
    /// Deletes objects by their IDs, of any entities; those that are gone are left out.
    public init(objectIDs: [ManagedObjectID]) { selection = .objectIDs(objectIDs) }
}
