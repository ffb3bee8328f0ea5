public import DuramenModel
public import DuramenStore
public import Foundation
import Synchronization

/// What stands between contexts and their store: it tells every context what the others saved.
public final class PersistentStoreCoordinator: Sendable {
    /// The model of the store.
    public let managedObjectModel: ManagedObjectModel

    private struct State {
        var store: any PersistentStore
        /// Whether a commit of the store failed half way, after which it writes nothing more.
        var mustReopen = false
        /// Stores that were opened anew since. Contexts may still read from them.
        var retired: [WeakStore] = []
        var unknownSaves = UnknownSaves()
    }

    private struct WeakStore {
        weak var store: (any PersistentStore)?
    }

    private let state: Locked<State>
    private let description: PersistentStoreDescription?
    private let inboxes = Locked<[ObjectIdentifier: Inbox]>([:])
    private let order = Locked(())
    private let faults = Atomic<Int>(0)

    /// Stands before an open store.
    ///
    /// - Parameter description: What the store was opened with. A store whose commit failed half way is
    ///   opened again with it; without it, somebody else has to.
    public init(store: any PersistentStore, description: PersistentStoreDescription? = nil) {
        managedObjectModel = store.model
        state = Locked(State(store: store))
        self.description = description
    }

    /// The store. After a commit that failed half way it is another one of the same identity.
    public var store: any PersistentStore { state.withLock { $0.store } }

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
    ///
    /// - Throws: The store's error. After `.unknownOutcome` set them again, which does no harm.
    public func setMetadata(_ entries: [String: StoredValue]) throws(StoreError) {
        try withWritableStore { store throws(StoreError) in
            _ = try save(ChangeSet(metadata: entries), to: store)
        }
    }

    /// Ends the use of the store.
    func close() throws(StoreError) {
        let retired = state.withLock { $0.retired.compactMap(\.store) }
        for store in retired { try store.close() }
        try store.close()
    }

    func noteFault() { faults.add(1, ordering: .relaxed) }

    // MARK: - Writing

    /// Runs a save and the news of it while no other save runs, so that contexts are told of saves in
    /// the order in which the store took them. Stores write one save at a time anyway.
    ///
    /// A store that writes nothing more is opened again before, and what became of saves of unknown outcome
    /// is found out.
    func withWritableStore<Result: Sendable>(
        _ body: (any PersistentStore) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try order.withLock { _ throws(StoreError) in
            let store = try writableStore()
            try resolveUnknownSaves(in: store)
            return try body(store)
        }
    }

    /// Hands out keys of the store.
    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try withWritableStore { store throws(StoreError) in
            do throws(StoreError) {
                return try store.allocateKeys(count, for: entity)
            } catch {
                guard error.code == .unknownOutcome else { throw error }
                state.withLock { $0.mustReopen = true }
                // Keys that may be lost are no loss, and nothing else was to be written.
                throw StoreError(.io, error.message, detail: error.detail)
            }
        }
    }

    /// Saves, and notes when nobody knows what became of it.
    func save(
        _ changes: ChangeSet, to store: any PersistentStore
    ) throws(StoreError) -> SaveOutcome {
        do throws(StoreError) {
            return try store.save(changes)
        } catch {
            if error.code == .unknownOutcome { state.withLock { $0.mustReopen = true } }
            throw error
        }
    }

    /// Keeps a save that threw `.unknownOutcome`, until somebody finds out.
    func remember(_ save: UnknownSave, from sender: Inbox) {
        state.withLock { $0.unknownSaves.add(save, from: sender) }
    }

    /// Whether a save whose outcome was unknown was committed. Ask while the store is writable.
    func isCommitted(_ save: UnknownSave) -> Bool {
        state.withLock { $0.unknownSaves.isCommitted(save.identifier) }
    }

    /// Forgets what became of a save.
    func forget(_ save: UnknownSave) {
        state.withLock { $0.unknownSaves.forget(save.identifier) }
    }

    private func resolveUnknownSaves(in store: any PersistentStore) throws(StoreError) {
        while let (save, sender) = state.withLock({ $0.unknownSaves.next }) {
            let isCommitted = try store.generation(ofSave: save.identifier) != nil
            if isCommitted {
                publish(try StoredOutcome(of: save, in: store).news, from: sender)
            }
            state.withLock { $0.unknownSaves.resolveNext(isCommitted: isCommitted) }
        }
    }

    private func writableStore() throws(StoreError) -> any PersistentStore {
        let (failed, mustReopen) = state.withLock { ($0.store, $0.mustReopen) }
        // What ends with its last user would be another store when it is opened again.
        guard mustReopen, let description, failed.capabilities.contains(.durable) else {
            return failed
        }
        let opened = try description.open(model: managedObjectModel)
        guard opened.handle == failed.handle else {
            try opened.close()
            throw StoreError(
                .storeFileMoved,
                "'\(description.location)' is another store than the one that was open; put that one "
                    + "back, or open a new container.")
        }
        state.withLock { state in
            state.store = opened
            state.mustReopen = false
            state.retired.removeAll { $0.store == nil }
            state.retired.append(WeakStore(store: failed))
        }
        return opened
    }

    // MARK: - News

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
