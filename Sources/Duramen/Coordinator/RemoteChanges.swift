public import DuramenModel
public import DuramenStore
public import Foundation

/// Somebody wrote to a store of the container: this process or another one.
public struct PersistentStoreRemoteChange: Sendable, Hashable {
    /// The store's identity.
    public var storeID: UUID
    /// The store, as requests take it.
    public var store: StoreHandle
    /// Where the store is, in the words of its kind.
    public var location: String
    /// The position after the change in the store's history, or nil if the store does not keep one.
    public var historyToken: PersistentHistoryToken?
    /// Whether all of it was written through this container.
    public var isOwn: Bool

    /// The newer of two changes of one store, for both.
    static func joined(_ old: Self, _ new: Self) -> Self? {
        guard old.store == new.store else { return nil }
        var joined = new
        joined.isOwn = old.isOwn && new.isOwn
        return joined
    }
}

extension PersistentContainer {
    /// Creates a listener to all changes of the stores, by contexts and batches of this container,
    /// by others, and by other processes.
    ///
    /// It hears of what is written from now on; several changes of one store that wait come as one.
    /// After the last of them it has a token that is not before it. Read the history behind the
    /// last token that you know:
    ///
    /// ```swift
    /// var token = try container.currentPersistentHistoryToken()
    /// for await change in container.remoteChanges where !change.isOwn {
    ///     let result = try container.persistentStoreCoordinator.execute(.fetchHistory(after: token))
    ///     token = result.token
    /// }
    /// ```
    /// Stores notice writers by the kernel's notices of their files; where there are none, they are
    /// looked at 40 times a second.
    public var remoteChanges: Notifications<PersistentStoreRemoteChange> {
        let listener = persistentStoreCoordinator.remoteListeners.listen()
        persistentStoreCoordinator.follow { $0 == .merging ? .merging : .listening }
        return listener
    }

    /// Whether contexts automatically merge changes that others write to the stores, in other
    /// processes too. They merge between their units of work, and live lists follow. False by
    /// default; changes written before you set it to true are merged then.
    ///
    /// With a history, contexts are told which objects changed. Without one they are told that
    /// anything may have, and read the versions of what they have. Contexts that do not merge
    /// automatically are told nothing.
    public var automaticallyMergesRemoteChanges: Bool {
        get { persistentStoreCoordinator.mergesRemoteChanges }
        set {
            persistentStoreCoordinator.follow { known in
                newValue ? .merging : known == .merging ? .listening : known
            }
        }
    }
}
