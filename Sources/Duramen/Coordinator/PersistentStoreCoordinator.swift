public import DuramenModel
public import DuramenStore
public import Foundation
import Synchronization

/// Connects contexts with their stores, and notifies every context of the others' saves.
public final class PersistentStoreCoordinator: Sendable {
    /// The model of all stores.
    public let managedObjectModel: ManagedObjectModel

    private struct State {
        /// The connections in the order in which the stores were added.
        var connections: [StoreConnection]
        /// The first connection, or the last one that was removed.
        var main: StoreConnection
        var following = Following.off
    }

    /// How changes by other writers are followed.
    enum Following {
        case off, listening, merging
    }

    private let state: Locked<State>
    private let changes = Atomic<Int>(0)
    private let faults = Atomic<Int>(0)
    /// Cached results of lists, by cache name.
    let cachedLists = Locked<[StoredText: CachedList]>([:])
    /// The listeners to saves and to added and removed stores.
    let listeners = NotificationHub<ContainerNotification>(missed: .missed)
    /// The listeners to all changes of the stores.
    let remoteListeners = NotificationHub<PersistentStoreRemoteChange>(
        .joined(PersistentStoreRemoteChange.joined))

    /// Creates a coordinator for an open store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - description: The description that the store was opened with. The coordinator uses it to
    ///     reopen the store after an interrupted commit. Without it, you have to reopen the store.
    public convenience init(
        store: any PersistentStore, description: PersistentStoreDescription? = nil
    ) {
        self.init(model: store.model, StoreConnection(store, description: description))
    }

    /// Creates a coordinator with a model that may have more entities than the store.
    init(model: ManagedObjectModel, _ connection: StoreConnection) {
        managedObjectModel = model
        state = Locked(State(connections: [connection], main: connection))
    }

    /// The first store. After an interrupted commit it is a new instance with the same identity.
    public var store: any PersistentStore { main.store }

    /// The number of times contexts loaded values or to-manys from a store because they were not in
    /// memory. Loading a group counts once.
    public var faultCount: Int { faults.load(ordering: .relaxed) }

    /// Returns the object ID that a URI represents; nil if its store or entity is unknown.
    ///
    /// The URI may name an entity as in an earlier version of the model, unless another entity has
    /// that name now.
    public func managedObjectID(forURIRepresentation uri: URL) -> ManagedObjectID? {
        if let id = ManagedObjectID(uri: uri), let connection = connection(of: id.store),
            connection.model.entity(of: id) != nil
        {
            return id
        }
        guard let parts = ManagedObjectID.parts(of: uri), let store = parts.store,
            let connection = connections.first(where: { $0.handle.uuid == store }),
            let entity = connection.entity(calledBefore: parts.entity)
        else { return nil }
        return ManagedObjectID(store: connection.handle, entity: entity.handle, key: parts.key)
    }

    func countFault() { faults.add(1, ordering: .relaxed) }

    // MARK: - Stores

    /// The stores, in the order in which they were added.
    public var stores: [StoreHandle] { connections.map(\.handle) }

    /// Returns the first store that was opened at a location, or nil if there is none.
    public func store(at location: String) -> StoreHandle? {
        connections.first { $0.description?.location == location }?.handle
    }

    /// Returns the description that a store was opened with; nil if the container does not have the
    /// store or did not open it.
    public func description(of store: StoreHandle) -> PersistentStoreDescription? {
        connection(of: store)?.description
    }

    /// Returns the metadata of the first store.
    public func metadata() throws(StoreError) -> StoreMetadata { try store.metadata() }

    /// Returns a store's metadata.
    ///
    /// - Throws: ``ContextError`` `.unknownStore`, or the store's error.
    public func metadata(of store: StoreHandle) throws -> StoreMetadata {
        try requiredConnection(of: store).store.metadata()
    }

    /// Sets the application's metadata entries of the first store; null removes an entry.
    ///
    /// - Throws: The store's error. After `.unknownOutcome`, set the entries again; this is
    ///   harmless.
    public func setMetadata(_ entries: [String: StoredValue]) throws(StoreError) {
        try main.setMetadata(entries)
    }

    /// Sets the application's metadata entries of a store; null removes an entry.
    ///
    /// - Throws: ``ContextError`` `.unknownStore`, or the store's error. After `.unknownOutcome`,
    ///   set the entries again; this is harmless.
    public func setMetadata(_ entries: [String: StoredValue], of store: StoreHandle) throws {
        try requiredConnection(of: store).setMetadata(entries)
    }

    /// Completes conversions that migrations have deferred, and blocks the thread meanwhile.
    ///
    /// After a migration, LMDB keeps rows as the earlier model wrote them, and converts each row
    /// whenever it is read. This method converts and saves all of them, and the stores can be used
    /// meanwhile. A store's maintenance does the same work.
    ///
    /// - Throws: The store's error. Rows that were converted before the error stay converted.
    public func finishDeferredLightweightMigration() throws(StoreError) {
        for connection in connections where connection.description?.isReadOnly != true {
            let store = try connection.withWritableStore { store throws(StoreError) in
                store as? any SchemaMigratingStore
            }
            guard let store else { continue }
            try connection.requiringReopening { () throws(StoreError) in
                try store.finishMigration(cancellation: nil)
            }
        }
    }

    /// Opens an additional store and blocks the thread meanwhile. Contexts use it from their next
    /// fetch on.
    ///
    /// - Returns: The store, for ``FetchRequest/affectedStores`` and
    ///   ``ManagedObjectContext/assign(_:to:)``.
    /// - Throws: ``ContextError`` `.duplicateStore` if the container already has the store, or the
    ///   store's error.
    @discardableResult
    public func addStore(_ description: PersistentStoreDescription) throws -> StoreHandle {
        listeners.post(.willAddStore(location: description.location))
        let opened = StoreConnection(
            try description.open(model: managedObjectModel), description: description)
        let isNew = state.withLock { state in
            if state.connections.contains(where: { $0.handle == opened.handle }) { return false }
            if state.connections.isEmpty { state.main = opened }
            state.connections.append(opened)
            return true
        }
        guard isNew else {
            try opened.close()
            throw ContextError(
                .duplicateStore,
                "The container has the store '\(opened.name)' already, or a copy of it, whose objects "
                    + "have the same IDs. Name another one, or remove the first.")
        }
        changes.add(1, ordering: .releasing)
        follow(opened)
        listeners.post(.didAddStore(opened.handle))
        return opened.handle
    }

    /// Closes and removes a store. Contexts forget its objects and their unsaved changes at their
    /// next fetch or save, or at the end of their unit of work. Loading such an object fails with
    /// `.storeRemoved`.
    ///
    /// - Throws: ``ContextError`` `.unknownStore`, or the error of closing the store, which is
    ///   removed nevertheless.
    public func removeStore(_ store: StoreHandle) throws {
        if connection(of: store) != nil { listeners.post(.willRemoveStore(store)) }
        let removed = try state.withLock { state in
            guard let index = state.connections.firstIndex(where: { $0.handle == store }) else {
                throw unknownStore
            }
            let removed = state.connections.remove(at: index)
            if let first = state.connections.first { state.main = first }
            return removed
        }
        changes.add(1, ordering: .releasing)
        listeners.post(.didRemoveStore(store))
        try removed.remove()
    }

    /// Closes all stores.
    func close() throws(StoreError) {
        var failure: StoreError?
        for connection in connections {
            do throws(StoreError) { try connection.close() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    // MARK: - Other processes

    /// Whether contexts merge changes by other writers.
    var mergesRemoteChanges: Bool { state.withLock { $0.following == .merging } }

    /// Changes how changes by other writers are followed.
    ///
    /// - Parameter change: Returns the new setting for the present one.
    func follow(_ change: (Following) -> Following) {
        let connections = state.withLock { state in
            state.following = change(state.following)
            return state.connections
        }
        for connection in connections { follow(connection) }
    }

    private func follow(_ connection: StoreConnection) {
        connection.follow({ state.withLock { $0.following } }, remoteListeners)
    }

    // MARK: - Connections

    /// A number that grows whenever a store is added or removed.
    var changeCount: Int { changes.load(ordering: .acquiring) }

    var connections: [StoreConnection] { state.withLock { $0.connections } }

    /// The connection of the first store, or the last one that was removed.
    var main: StoreConnection { state.withLock { $0.main } }

    private func connection(of store: StoreHandle) -> StoreConnection? {
        connections.first { $0.handle == store }
    }

    func requiredConnection(of store: StoreHandle) throws -> StoreConnection {
        guard let connection = connection(of: store) else { throw unknownStore }
        return connection
    }

    private var unknownStore: ContextError {
        ContextError(
            .unknownStore,
            "The container does not have the store, or no longer. Ask it for its stores.")
    }
}

extension PersistentStoreCoordinator: CustomReflectable {
    /// Shows the stores. Reflection does not reach the contexts.
    public var customMirror: Mirror {
        Mirror(self, children: ["stores": stores], ancestorRepresentation: .suppressed)
    }
}
