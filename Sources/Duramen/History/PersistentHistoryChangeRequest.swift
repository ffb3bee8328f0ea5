public import DuramenModel
public import DuramenQuery
public import DuramenStore
public import Foundation

/// The content of a history request's result. The raw values are Core Data's.
public enum PersistentHistoryResultType: Int, Sendable, Hashable, CaseIterable {
    /// Only the count and the token.
    case statusOnly = 0
    /// The IDs of the changed objects.
    case objectIDs = 1
    /// The number of transactions.
    case count = 2
    /// Transactions without their changes.
    case transactionsOnly = 3
    /// Changes.
    case changesOnly = 4
    /// Transactions with their changes.
    case transactionsAndChanges = 5
}

/// A request that fetches or deletes the history of a container's stores.
///
/// ```swift
/// var request = PersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// request.transactionFilter = { $0.author != "viewer" }
/// let result = try context.execute(request)
/// ```
/// A store keeps a history permanently once it was opened with a `keepingHistory()` description.
public struct PersistentHistoryChangeRequest: Sendable {
    enum Action: Sendable {
        case fetch(after: Position)
        case delete(before: Position)
    }

    enum Position: Sendable {
        /// Before the oldest transaction to fetch, or after the newest one to delete.
        case end
        case token(PersistentHistoryToken)
        case date(Date)
    }

    let action: Action
    /// The content of the result: a status, a count, object IDs, transactions or changes.
    public var resultType = PersistentHistoryResultType.transactionsAndChanges
    /// The stores of the request; nil for all stores of the container with a history.
    public var affectedStores: [StoreHandle]?
    /// The most transactions to fetch from each store; nil for all.
    public var fetchLimit: Int?
    /// Selects transactions; nil for all. Changes of other transactions are not loaded.
    public var transactionFilter: (@Sendable (PersistentHistoryTransaction) -> Bool)?
    /// Selects changes; nil for all. Transactions without a selected change are left out.
    public var changeFilter: (@Sendable (PersistentHistoryChange) -> Bool)?
    /// Selects transactions by a predicate over `author`, `bundleID`, `contextName`, `processID`,
    /// `timestamp` and `transactionNumber`; nil for all.
    public var transactionPredicate: FetchPredicate?
    /// Selects changes by a predicate over `changeID`, `changeType` (0, 1, 2), `changedEntity` (a
    /// name), `changedObjectID` (a URI) and `transactionNumber`; nil for all.
    public var changePredicate: FetchPredicate?

    /// Fetches the transactions that follow a token. Without a token, or for a store that the token
    /// does not cover, it starts with the oldest transaction.
    public static func fetchHistory(after token: PersistentHistoryToken?) -> Self {
        Self(action: .fetch(after: token.map { .token($0) } ?? .end))
    }

    /// Fetches the transactions that follow a transaction.
    public static func fetchHistory(after transaction: PersistentHistoryTransaction) -> Self {
        fetchHistory(after: transaction.token)
    }

    /// Fetches the first transaction after a date and all that follow it. Their dates do not
    /// matter, because clocks may have been set back.
    public static func fetchHistory(after date: Date) -> Self {
        Self(action: .fetch(after: .date(date)))
    }

    /// Deletes the transactions before the one that a token names, or all of them if the token is
    /// nil. Transactions that a live consumer still needs are kept.
    public static func deleteHistory(before token: PersistentHistoryToken?) -> Self {
        Self(action: .delete(before: token.map { .token($0) } ?? .end))
    }

    /// Deletes the transactions before a transaction.
    public static func deleteHistory(before transaction: PersistentHistoryTransaction) -> Self {
        deleteHistory(before: transaction.token)
    }

    /// Deletes the transactions before the first one that is not older than a date.
    public static func deleteHistory(before date: Date) -> Self {
        Self(action: .delete(before: .date(date)))
    }

    private init(action: Action) { self.action = action }
}

/// The result of a history request.
public struct PersistentHistoryResult: Sendable, Hashable {
    /// Transactions, oldest first, store by store.
    public internal(set) var transactions: [PersistentHistoryTransaction] = []
    /// The changes, oldest first, for ``PersistentHistoryResultType/changesOnly``.
    public internal(set) var changes: [PersistentHistoryChange] = []
    /// The IDs of changed objects, each once, for ``PersistentHistoryResultType/objectIDs``.
    public internal(set) var objectIDs: [ManagedObjectID] = []
    /// The number of transactions found or deleted.
    public internal(set) var count = 0
    /// The position after everything that was examined; continue from here.
    public internal(set) var token = PersistentHistoryToken()
    /// For a deletion, the names of consumers that still need transactions.
    public internal(set) var keptFor: [String] = []
}

extension ChangedObjectIDs {
    /// Collects the changes of a transaction, for
    /// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
    public init(_ transaction: PersistentHistoryTransaction) { self.init([transaction]) }

    /// Collects the combined changes of several consecutive transactions.
    public init(_ transactions: [PersistentHistoryTransaction]) {
        self.init()
        for change in transactions.lazy.flatMap({ $0.changes ?? [] }) {
            let id = change.changedObjectID
            switch change.changeType {
            case .insert:
                // An object that was deleted and inserted again counts as updated.
                if deleted.remove(id) == nil { inserted.insert(id) } else { updated.insert(id) }
            case .update:
                if !inserted.contains(id) { updated.insert(id) }
            case .delete:
                inserted.remove(id)
                updated.remove(id)
                deleted.insert(id)
            }
        }
    }
}
