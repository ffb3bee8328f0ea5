import Dispatch
import DuramenModel
import DuramenStore

/// The state of a connection that follows other writers to its store.
struct StoreFollowing: Sendable {
    /// The interval of checks for a store that cannot report writers.
    static let pollingInterval = DispatchTimeInterval.milliseconds(25)
    // Beyond this, contexts compare the versions of their objects instead, which is cheaper then.
    private static let mostChanges = 10_000
    private static let transactionsPerPage = 256

    let listeners: NotificationHub<PersistentStoreRemoteChange>
    /// The newest state that was reported.
    var seen: StoreGeneration
    /// Whether contexts are notified.
    var isMerging: Bool
    /// The observation that detects writers.
    var observation: StoreObservation?

    init(
        listeners: NotificationHub<PersistentStoreRemoteChange>, seen: StoreGeneration,
        isMerging: Bool
    ) {
        self.listeners = listeners
        self.seen = seen
        self.isMerging = isMerging
    }

    /// Returns the changes between two states for contexts to merge; nil if anything may have
    /// changed.
    static func news(
        after first: StoreGeneration, through last: StoreGeneration, of store: any PersistentStore
    ) -> SavedChanges? {
        guard let history = try? store.historyTracking(),
            (try? history.historyExtent()) ?? nil != nil
        else { return nil }
        var changes = SavedChanges()
        changes.generation = last
        var transactions: [PersistentHistoryTransaction] = []
        var count = 0
        var after = first.rawValue
        while after < last.rawValue {
            let request = HistoryRequest(
                after: after, through: last.rawValue, limit: transactionsPerPage)
            // If the history was deleted in part, anything may have changed.
            guard let page = try? history.page(request) else { return nil }
            guard let newest = page.last else { break }
            after = newest.transactionNumber
            count += page.reduce(0) { $0 + ($1.changes?.count ?? 0) }
            if count > mostChanges { return nil }
            transactions += page
        }
        changes.elsewhere = ChangedObjectIDs(transactions)
        return changes
    }
}
