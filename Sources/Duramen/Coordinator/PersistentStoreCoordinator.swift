public import DuramenModel
public import DuramenStore
public import Foundation
import Synchronization

/// Connects contexts with their stores, and notifies every context of the others' saves.
public final class PersistentStoreCoordinator: Sendable {
    /// The model of all stores.
    public let managedObjectModel: ManagedObjectModel

    private struct State {
        /// In the order in which they were added.
        var connections: [StoreConnection]
        /// The first of them, or the last that was removed.
        var main: StoreConnection
        var following = Following.off
    }

    /// How what others write is followed.
    enum Following {
        case off, listening, merging
    }

    private let state: Locked<State>
    private let changes = Atomic<Int>(0)
    private let faults = Atomic<Int>(0)
    /// Results that are kept for others, by their names.
    let cachedLists = Locked<[StoredText: CachedList]>([:])
    /// Who listens to saves and stores.
    let listeners = NotificationHub<ContainerNotification>(missed: .missed)
    /// Who listens to whatever is written.
    let remoteListeners = NotificationHub<PersistentStoreRemoteChange>(
        .joined(PersistentStoreRemoteChange.joined))

    /// Stands before an open store.
    ///
    /// - Parameter description: What the store was opened with. A store whose commit failed half
    ///   way is opened again with it; without it, somebody else has to.
    public convenience init(
        store: any PersistentStore, description: PersistentStoreDescription? = nil
    ) {
        self.init(model: store.model, StoreConnection(store, description: description))
    }

    /// Stands before a store with a model that may have more entities than the store.
    init(model: ManagedObjectModel, _ connection: StoreConnection) {
        managedObjectModel = model
        state = Locked(State(connections: [connection], main: connection))
    }

    /// The first store. After a commit that failed half way it is another one of the same identity.
    public var store: any PersistentStore { main.store }

    /// How often contexts went to a store for values or to-manys that were not in memory. One that
    /// brings a whole group counts once.
    public var faultCount: Int { faults.load(ordering: .relaxed) }

    /// Returns the ID that a URI represents, or nil if it is from another store or of an unknown
    /// entity.
    ///
    /// An entity may have the name that it had in an earlier version of the model, unless another
    /// one has that now.
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

    /// Returns the description that a store was opened with, or nil if the container does not have
    /// the store or did not open it.
    public func description(of store: StoreHandle) -> PersistentStoreDescription? {
        connection(of: store)?.description
    }

    /// Reads the metadata of the first store.
    public func metadata() throws(StoreError) -> StoreMetadata { try store.metadata() }

    /// Reads a store's metadata.
    ///
    /// - Throws: ``ContextError`` `.unknownStore`, or the store's error.
    public func metadata(of store: StoreHandle) throws -> StoreMetadata {
        try requiredConnection(of: store).store.metadata()
    }

    /// Sets the application's own metadata entries of the first store; null takes one away.
    ///
    /// - Throws: The store's error. After `.unknownOutcome` set them again, which does no harm.
    public func setMetadata(_ entries: [String: StoredValue]) throws(StoreError) {
        try main.setMetadata(entries)
    }

    /// Sets the application's own metadata entries of a store; null takes one away.
    ///
    /// - Throws: ``ContextError`` `.unknownStore`, or the store's error. After `.unknownOutcome`
    ///   set them again, which does no harm.
    public func setMetadata(_ entries: [String: StoredValue], of store: StoreHandle) throws {
        try requiredConnection(of: store).setMetadata(entries)
    }

    /// Does now what migrations left for later.
    ///
    /// LMDB leaves rows as the earlier model wrote them, and converts each one whenever it is read.
    /// This method converts all of them and saves the result. It blocks the thread. Others may use
    /// the stores meanwhile. A store's housekeeping does the same work.
    ///
    /// - Throws: The store's error. Rows that were converted before the error stay converted.
    public func finishDeferredLightweightMigration() throws(StoreError) {
        for connection in connections where connection.description?.isReadOnly != true {
            let store = connection.store as? any SchemaMigratingStore
            try store?.finishMigration(cancellation: nil)
        }
    }

    /// Opens one more store, blocking the thread meanwhile. Contexts see it with their next fetch.
    ///
    /// - Returns: The store, as ``FetchRequest/affectedStores`` and
    ///   ``ManagedObjectContext/assign(_:to:)`` take it.
    /// - Throws: ``ContextError`` `.duplicateStore` when the store is here already, or the store's
    ///   error.
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

    /// Removes a store from the container. Contexts forget its objects and their unsaved changes
    /// with their next fetch or save, or at the end of their unit of work. Reading such an object
    /// fails with `.storeRemoved`.
    ///
    /// - Throws: ``ContextError`` `.unknownStore`, or why the store could not be closed; it is
    ///   removed then all the same.
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

    /// Ends the use of all stores.
    func close() throws(StoreError) {
        var failure: StoreError?
        for connection in connections {
            do throws(StoreError) { try connection.close() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    // MARK: - Other processes

    /// Whether contexts merge what others write.
    var mergesRemoteChanges: Bool { state.withLock { $0.following == .merging } }

    /// Follows what others write to the stores from now on.
    ///
    /// - Parameter change: How, given how it was.
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

    /// Grows whenever a store is added or removed.
    var changeCount: Int { changes.load(ordering: .acquiring) }

    var connections: [StoreConnection] { state.withLock { $0.connections } }

    /// The first store, or the last that there was.
    var main: StoreConnection { state.withLock { $0.main } }

    private func connection(of store: StoreHandle) -> StoreConnection? {
        connections.first { $0.handle == store }
    }

    private func requiredConnection(of store: StoreHandle) throws -> StoreConnection {
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
    /// Shows the stores. Contexts cannot be reached by reflection.
    public var customMirror: Mirror {
        Mirror(self, children: ["stores": stores], ancestorRepresentation: .suppressed)
    }
}
