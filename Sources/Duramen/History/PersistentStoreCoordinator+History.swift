public import DuramenModel
public import DuramenStore
import Foundation

extension ManagedObjectContext {
    /// Fetches or deletes history of the container's stores.
    ///
    /// The history is that of stored transactions. Unsaved changes are not included, and a pinned
    /// context gets the newest history.
    ///
    /// - Throws: ``StoreError`` `.historyMissing` if no store keeps a history,
    ///   `.historyTokenExpired` if some of the requested history is deleted, `.historyTokenUnknown`
    ///   for a token of other stores. ``FetchPredicateError`` for a predicate with properties that
    ///   transactions and changes do not have.
    /// - Complexity: Needs the memory of the result. Changes of transactions that the filters
    ///   reject are not loaded.
    @discardableResult
    public func execute(
        _ request: PersistentHistoryChangeRequest, isolation: isolated (any Actor)? = #isolation
    ) throws -> PersistentHistoryResult {
        enter(isolation)
        return try persistentStoreCoordinator.execute(request)
    }
}

extension PersistentStoreCoordinator {
    private static var transactionsPerPage: Int { 1_000 }

    /// Returns the position after everything saved so far.
    ///
    /// - Parameter stores: The stores; nil for all that keep a history.
    /// - Returns: The token; nil if none of the stores keeps a history.
    public func currentPersistentHistoryToken(
        fromStores stores: [StoreHandle]? = nil
    ) throws(StoreError) -> PersistentHistoryToken? {
        var token = PersistentHistoryToken()
        for history in try histories(of: stores) {
            if let uuid = history.store.handle.uuid {
                token = token.at(history.extent.last, in: uuid)
            }
        }
        return token.transactionNumbers.isEmpty ? nil : token
    }

    /// Fetches or deletes history; see
    /// ``ManagedObjectContext/execute(_:isolation:)-(PersistentHistoryChangeRequest,_)``.
    @discardableResult
    public func execute(
        _ request: PersistentHistoryChangeRequest
    ) throws -> PersistentHistoryResult {
        let histories = try histories(of: request.affectedStores)
        if histories.isEmpty {
            throw StoreError(
                .historyMissing,
                "No store of the container keeps a history; describe one with keepingHistory().")
        }
        var result = PersistentHistoryResult()
        switch request.action {
        case .fetch(let position):
            try check(position, histories)
            let filter = try HistoryFilter(request)
            for history in histories {
                let after = try start(of: position, history)
                try fetch(request, filter, after: after, history, into: &result)
            }
        case .delete(let position):
            try check(position, histories)
            for history in histories {
                let outcome = try history.write { store throws(StoreError) in
                    try store.deleteHistory(Self.deletion(before: position, in: store))
                }
                result.count += outcome.count
                result.keptFor += outcome.keptFor
            }
        }
        return result
    }

    /// Returns the histories of the stores that keep one.
    func histories(of stores: [StoreHandle]?) throws(StoreError) -> [StoreHistory] {
        var found: [StoreHistory] = []
        for connection in connections where stores?.contains(connection.handle) != false {
            guard let store = try? connection.store.historyTracking(),
                let extent = try store.historyExtent()
            else { continue }
            found.append(StoreHistory(connection: connection, store: store, extent: extent))
        }
        return found
    }

    private func check(
        _ position: PersistentHistoryChangeRequest.Position, _ histories: [StoreHistory]
    ) throws(StoreError) {
        if case .token(let token) = position { try check(token, histories) }
    }

    /// Throws for a token that none of the stores knows.
    func check(
        _ token: PersistentHistoryToken, _ histories: [StoreHistory]
    ) throws(StoreError) {
        if token.transactionNumbers.isEmpty { return }
        let known = Set(histories.compactMap(\.store.handle.uuid))
        if known.isDisjoint(with: token.transactionNumbers.keys) {
            throw StoreError(
                .historyTokenUnknown,
                "The token is of stores that the container does not have, or that keep no history: "
                    + "\(token). Read what there is now, and go on from the current token.")
        }
    }

    /// Returns the number of the transaction to start after.
    private func start(
        of position: PersistentHistoryChangeRequest.Position, _ history: StoreHistory
    ) throws(StoreError) -> Int64 {
        let (store, extent) = (history.store, history.extent)
        switch position {
        case .end: return extent.deletedThrough
        case .token(let token):
            return store.handle.uuid.flatMap(token.transactionNumber) ?? extent.deletedThrough
        case .date(let date):
            var after = extent.deletedThrough
            while true {
                let page = try store.page(
                    HistoryRequest(
                        after: after, limit: Self.transactionsPerPage, includesChanges: false))
                if let first = page.first(where: { $0.timestamp > date }) {
                    return first.transactionNumber - 1
                }
                guard let last = page.last else { return after }
                after = last.transactionNumber
            }
        }
    }

    private static func deletion(
        before position: PersistentHistoryChangeRequest.Position, in store: any HistoryTrackingStore
    ) -> HistoryDeletion {
        switch position {
        case .end: return HistoryDeletion()
        case .date(let date): return HistoryDeletion(olderThan: date)
        case .token(let token):
            // The token's own transaction is kept. Without a number for this store, nothing is
            // deleted.
            let number = store.handle.uuid.flatMap(token.transactionNumber) ?? 0
            return HistoryDeletion(through: number - 1)
        }
    }

    private func fetch(
        _ request: PersistentHistoryChangeRequest, _ filter: HistoryFilter, after start: Int64,
        _ history: StoreHistory, into result: inout PersistentHistoryResult
    ) throws(StoreError) {
        let (store, extent) = (history.store, history.extent)
        var after = start
        var count = 0
        let limit = request.fetchLimit.map { max(0, $0) } ?? .max
        var objects = Set(result.objectIDs)
        while count < limit {
            // Changes of transactions that the filters reject are not loaded.
            let readsAll = filter.needsChanges && filter.takesAllTransactions
            let page = try store.page(
                HistoryRequest(
                    after: after, through: extent.last,
                    limit: min(Self.transactionsPerPage, limit - count),
                    includesChanges: readsAll))
            guard let last = page.last else { break }
            for transaction in page where filter.wants(transaction) {
                var whole = transaction
                if filter.needsChanges, !readsAll {
                    let number = transaction.transactionNumber
                    let request = HistoryRequest(after: number - 1, through: number)
                    guard let found = try store.history(request).first else { continue }
                    whole = found
                }
                guard let wanted = filter.filtered(whole) else { continue }
                count += 1
                result.add(wanted, request.resultType, &objects)
            }
            after = last.transactionNumber
        }
        result.count += count
        if let uuid = store.handle.uuid {
            result.token = result.token.at(
                count < limit ? max(after, extent.last) : after, in: uuid)
        }
    }
}

extension PersistentHistoryResult {
    fileprivate mutating func add(
        _ transaction: PersistentHistoryTransaction, _ type: PersistentHistoryResultType,
        _ objects: inout Set<ManagedObjectID>
    ) {
        switch type {
        case .statusOnly, .count: break
        case .objectIDs:
            for change in transaction.changes ?? []
            where objects.insert(change.changedObjectID).inserted {
                objectIDs.append(change.changedObjectID)
            }
        case .transactionsOnly:
            var bare = transaction
            bare.changes = nil
            transactions.append(bare)
        case .changesOnly: changes += transaction.changes ?? []
        case .transactionsAndChanges: transactions.append(transaction)
        }
    }
}
