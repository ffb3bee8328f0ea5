import Dispatch
import DuramenModel
import DuramenStore

/// What a connection knows of others who write to its store.
struct StoreFollowing: Sendable {
    /// How often a store is looked at that cannot say when somebody writes.
    static let pollingInterval = DispatchTimeInterval.milliseconds(25)
    // Contexts that are told of more read anew what they have, which is cheaper then.
    private static let mostChanges = 10_000
    private static let transactionsPerPage = 256

    let listeners: NotificationHub<PersistentStoreRemoteChange>
    /// The newest state that everybody was told of.
    var seen: StoreGeneration
    /// Whether contexts are told.
    var isMerging: Bool
    /// What notices writers.
    var observation: StoreObservation?

    init(
        listeners: NotificationHub<PersistentStoreRemoteChange>, seen: StoreGeneration,
        isMerging: Bool
    ) {
        self.listeners = listeners
        self.seen = seen
        self.isMerging = isMerging
    }

    /// What was written between two states, as contexts are told; nil when that may be anything.
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
            // What is deleted already may have been anything.
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
