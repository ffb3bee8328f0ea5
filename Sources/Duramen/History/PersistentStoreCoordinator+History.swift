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
        for (store, extent) in try histories(of: stores) {
            if let uuid = store.handle.uuid { token = token.at(extent.last, in: uuid) }
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
            try check(position, histories.map(\.0))
            let filter = try HistoryFilter(request)
            for (store, extent) in histories {
                let after = try start(of: position, store, extent)
                try fetch(request, filter, after: after, store, extent, into: &result)
            }
        case .delete(let position):
            try check(position, histories.map(\.0))
            for (store, _) in histories {
                let outcome = try store.deleteHistory(Self.deletion(before: position, in: store))
                result.count += outcome.count
                result.keptFor += outcome.keptFor
            }
        }
        return result
    }

    /// Returns the stores that keep a history, and the range of each history.
    func histories(
        of stores: [StoreHandle]?
    ) throws(StoreError) -> [(any HistoryTrackingStore, HistoryExtent)] {
        var found: [(any HistoryTrackingStore, HistoryExtent)] = []
        for connection in connections where stores?.contains(connection.handle) != false {
            guard let store = try? connection.store.historyTracking(),
                let extent = try store.historyExtent()
            else { continue }
            found.append((store, extent))
        }
        return found
    }

    private func check(
        _ position: PersistentHistoryChangeRequest.Position, _ stores: [any HistoryTrackingStore]
    ) throws(StoreError) {
        if case .token(let token) = position { try check(token, stores) }
    }

    /// Throws for a token that none of the stores knows.
    func check(
        _ token: PersistentHistoryToken, _ stores: [any HistoryTrackingStore]
    ) throws(StoreError) {
        if token.transactionNumbers.isEmpty { return }
        let known = Set(stores.compactMap(\.handle.uuid))
        if known.isDisjoint(with: token.transactionNumbers.keys) {
            throw StoreError(
                .historyTokenUnknown,
                "The token is of stores that the container does not have, or that keep no history: "
                    + "\(token). Read what there is now, and go on from the current token.")
        }
    }

    /// Returns the number of the transaction to start after.
    private func start(
        of position: PersistentHistoryChangeRequest.Position, _ store: any HistoryTrackingStore,
        _ extent: HistoryExtent
    ) throws(StoreError) -> Int64 {
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
        _ store: any HistoryTrackingStore, _ extent: HistoryExtent,
        into result: inout PersistentHistoryResult
    ) throws(StoreError) {
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
