public import DuramenModel
public import DuramenStore
public import Foundation

/// A change that this process or another one wrote to a store of the container.
public struct PersistentStoreRemoteChange: Sendable, Hashable {
    /// The store's identity.
    public var storeID: UUID
    /// The store, for requests.
    public var store: StoreHandle
    /// The location of the store, as its description names it.
    public var location: String
    /// The position after the change in the store's history, or nil if the store does not keep one.
    public var historyToken: PersistentHistoryToken?
    /// Whether everything was written through this container.
    public var isOwn: Bool

    /// Merges two changes of one store into one; nil if they are of different stores.
    static func joined(_ old: Self, _ new: Self) -> Self? {
        guard old.store == new.store else { return nil }
        var joined = new
        joined.isOwn = old.isOwn && new.isOwn
        return joined
    }
}

extension PersistentContainer {
    /// Creates a listener to all changes of the stores: by this container's contexts and batches,
    /// and by other writers and processes.
    ///
    /// It reports changes written from now on. Several pending changes of one store are combined
    /// into one. Its token is never older than the last of them. Fetch the history after the last
    /// token that you know:
    ///
    /// ```swift
    /// var token = try container.currentPersistentHistoryToken()
    /// for await change in container.remoteChanges where !change.isOwn {
    ///     let coordinator = container.persistentStoreCoordinator
    ///     token = try coordinator.execute(.fetchHistory(after: token)).token
    /// }
    /// ```
    /// Stores detect writers by file notifications of the kernel. Where these are missing, files
    /// are checked 40 times a second.
    public var remoteChanges: Notifications<PersistentStoreRemoteChange> {
        let listener = persistentStoreCoordinator.remoteListeners.listen()
        persistentStoreCoordinator.follow { $0 == .merging ? .merging : .listening }
        return listener
    }

    /// Whether contexts automatically merge changes of other writers, including other processes.
    /// They merge between their units of work, and live lists are updated. False by default. When
    /// you set it to true, earlier changes are merged too.
    ///
    /// With a history, contexts learn which objects changed. Without it, they compare the row
    /// versions of all their objects. Contexts that do not merge automatically are not notified.
    public var automaticallyMergesRemoteChanges: Bool {
        get { persistentStoreCoordinator.mergesRemoteChanges }
        set {
            persistentStoreCoordinator.follow { known in
                newValue ? .merging : known == .merging ? .listening : known
            }
        }
    }
}
