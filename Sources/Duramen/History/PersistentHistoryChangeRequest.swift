public import DuramenModel
public import DuramenQuery
public import DuramenStore
public import Foundation

/// The content of a history request's result. The raw values are Core Data's.
public enum PersistentHistoryResultType: Int, Sendable, Hashable, CaseIterable {
    /// Nothing but what was deleted.
    case statusOnly = 0
    /// The objects that changed.
    case objectIDs = 1
    /// How many transactions there are.
    case count = 2
    /// Transactions without their changes.
    case transactionsOnly = 3
    /// Changes.
    case changesOnly = 4
    /// Transactions with their changes.
    case transactionsAndChanges = 5
}

/// Reads the history of a container's stores, or deletes what is not needed any more.
///
/// ```swift
/// var request = PersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// request.transactionFilter = { $0.author != "viewer" }
/// let result = try context.execute(request)
/// ```
/// A store keeps a history when it was opened with a description that says `keepingHistory()`, once
/// and for ever.
public struct PersistentHistoryChangeRequest: Sendable {
    enum Action: Sendable {
        case fetch(after: Position)
        case delete(before: Position)
    }

    enum Position: Sendable {
        /// Before the first transaction that is told, or behind the last one.
        case end
        case token(PersistentHistoryToken)
        case date(Date)
    }

    let action: Action
    /// The content of the result: a status, a count, object IDs, transactions or changes.
    public var resultType = PersistentHistoryResultType.transactionsAndChanges
    /// The stores to ask; nil for all of the container that keep a history.
    public var affectedStores: [StoreHandle]?
    /// How many transactions to read of each store at most; nil for all.
    public var fetchLimit: Int?
    /// Which transactions are wanted; nil for all. The changes of others are not read.
    public var transactionFilter: (@Sendable (PersistentHistoryTransaction) -> Bool)?
    /// Which changes are wanted; nil for all. A transaction without any of them is left out.
    public var changeFilter: (@Sendable (PersistentHistoryChange) -> Bool)?
    /// Which transactions are wanted, as a predicate over `author`, `bundleID`, `contextName`,
    /// `processID`, `timestamp` and `transactionNumber`; nil for all.
    public var transactionPredicate: FetchPredicate?
    /// Which changes are wanted, as a predicate over `changeID`, `changeType` (0, 1, 2),
    /// `changedEntity` (its name), `changedObjectID` (its URI) and `transactionNumber`; nil for
    /// all.
    public var changePredicate: FetchPredicate?

    /// Fetches the transactions that follow a token. Without a token, or for a store that the token
    /// does not cover, it starts with the oldest transaction.
    public static func fetchHistory(after token: PersistentHistoryToken?) -> Self {
        Self(action: .fetch(after: token.map { .token($0) } ?? .end))
    }

    /// Reads what follows a transaction.
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

    /// Deletes what is before a transaction.
    public static func deleteHistory(before transaction: PersistentHistoryTransaction) -> Self {
        deleteHistory(before: transaction.token)
    }

    /// Deletes what is before the first transaction that is not older than a date.
    public static func deleteHistory(before date: Date) -> Self {
        Self(action: .delete(before: .date(date)))
    }

    private init(action: Action) { self.action = action }
}

/// The result of a history request.
public struct PersistentHistoryResult: Sendable, Hashable {
    /// Transactions, oldest first, store by store.
    public internal(set) var transactions: [PersistentHistoryTransaction] = []
    /// Their changes, oldest first, for ``PersistentHistoryResultType/changesOnly``.
    public internal(set) var changes: [PersistentHistoryChange] = []
    /// The objects that changed, each once, for ``PersistentHistoryResultType/objectIDs``.
    public internal(set) var objectIDs: [ManagedObjectID] = []
    /// How many transactions were found or deleted.
    public internal(set) var count = 0
    /// The position behind all that was looked at: where to go on.
    public internal(set) var token = PersistentHistoryToken()
    /// Of a deletion: the consumers because of whom transactions were kept, by name.
    public internal(set) var keptFor: [String] = []
}

extension ChangedObjectIDs {
    /// Collects the changes of a transaction, in the form that
    /// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)`` takes.
    public init(_ transaction: PersistentHistoryTransaction) { self.init([transaction]) }

    /// Collects the combined changes of several transactions, which follow each other.
    public init(_ transactions: [PersistentHistoryTransaction]) {
        self.init()
        for change in transactions.lazy.flatMap({ $0.changes ?? [] }) {
            let id = change.changedObjectID
            switch change.changeType {
            case .insert:
                // One that was deleted and inserted again has other values.
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
