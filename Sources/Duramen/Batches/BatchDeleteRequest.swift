public import DuramenModel
public import DuramenQuery

/// A request that deletes stored objects without loading them into the context.
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
    /// The stores to delete from; nil for all stores that contain the entity.
    public var affectedStores: [StoreHandle]?
    /// A flag that cancels the request with `.cancelled` when raised; nothing is written then.
    public var cancellation: CancellationFlag?
    /// A closure that receives the number of objects deleted so far, after every thousand and at
    /// the end. It is called at the end only if the store does all the work itself.
    public var progress: (@Sendable (Int) -> Void)?

    /// Creates a request that deletes the stored objects that a fetch request selects. The limit
    /// and offset apply; unsaved changes are ignored.
    public init(_ fetchRequest: FetchRequest<Object>) {
        selection = .request(fetchRequest)
        affectedStores = fetchRequest.affectedStores
        cancellation = fetchRequest.cancellation
    }

    /// Creates a request that deletes the objects that a fetch request selects; see ``init(_:)``.
    public init(fetchRequest: FetchRequest<Object>) { self.init(fetchRequest) }
}

extension BatchDeleteRequest where Object == ManagedObject {
    /// Creates a request that deletes objects of any entities by ID. IDs of missing objects are
    /// ignored.
    public init(objectIDs: [ManagedObjectID]) { selection = .objectIDs(objectIDs) }
}
