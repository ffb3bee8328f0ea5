public import DuramenModel
public import DuramenStore
public import Foundation
import Synchronization

/// What stands between contexts and their store: it tells every context what the others saved.
public final class PersistentStoreCoordinator: Sendable {
    /// The model of the store.
    public let managedObjectModel: ManagedObjectModel
    /// The store.
    public let store: any PersistentStore

    private let inboxes = Locked<[ObjectIdentifier: Inbox]>([:])
    private let order = Locked(())
    private let faults = Atomic<Int>(0)

    /// Stands before an open store.
    public init(store: any PersistentStore) {
        self.store = store
        managedObjectModel = store.model
    }

    /// How often contexts went to the store for values or to-manys that were not in memory. One that
    /// brings a whole group counts once.
    public var faultCount: Int { faults.load(ordering: .relaxed) }

    /// The ID that a URI stands for; nil when it is of another store or of an unknown entity.
    public func managedObjectID(forURIRepresentation uri: URL) -> ManagedObjectID? {
        guard let id = ManagedObjectID(uri: uri), id.store == store.handle,
            managedObjectModel.entity(of: id) != nil
        else { return nil }
        return id
    }

    /// Reads the store's metadata.
    public func metadata() throws(StoreError) -> StoreMetadata { try store.metadata() }

    /// Sets the application's own metadata entries; null takes one away.
    public func setMetadata(_ entries: [String: StoredValue]) throws(StoreError) {
        _ = try store.save(ChangeSet(metadata: entries))
    }

    /// Runs a save and the news of it while no other save runs, so that contexts are told of saves in
    /// the order in which the store took them. Stores write one save at a time anyway.
    func saveInOrder<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
        try order.withLock { _ in try body() }
    }

    func noteFault() { faults.add(1, ordering: .relaxed) }

    func add(_ inbox: Inbox) { inboxes.withLock { $0[ObjectIdentifier(inbox)] = inbox } }

    func remove(_ inbox: Inbox) {
        _ = inboxes.withLock { $0.removeValue(forKey: ObjectIdentifier(inbox)) }
    }

    /// Tells all contexts but one what was saved.
    func publish(_ changes: SavedChanges, from sender: Inbox) {
        let others = inboxes.withLock { $0.values.filter { $0 !== sender } }
        for inbox in others { inbox.post(changes) }
    }
}
