public import DuramenModel
public import DuramenStore
import Foundation

/// A named reader of the history of a container's stores that continues across launches, such as a
/// search index or a mirror.
///
/// ```swift
/// let consumer = try container.historyConsumer(named: "position")
/// switch try consumer.next() {
/// case .transactions(let transactions, let token):
///     try position.apply(transactions)
///     try consumer.acknowledge(token)
/// case .resynchronize(let state):
///     try await position.rebuild(from: state)
///     try consumer.acknowledge(state.token)
/// }
/// ```
/// The stores keep unacknowledged transactions during the lease, which each acknowledgement renews.
/// After a longer absence, transactions may be gone; then ``next(maximumTransactions:after:)``
/// returns the present state to start from.
public final class PersistentHistoryConsumer: Sendable {
    /// The name of the consumer; each consumer needs its own.
    public let name: String
    /// The number of seconds for which stores keep transactions for an absent consumer.
    public let leaseSeconds: Double
    private let coordinator: PersistentStoreCoordinator
    private let stores: [StoreHandle]?

    /// The position where a new consumer starts.
    public enum Beginning: Sendable, Hashable {
        /// At the oldest transaction that is available.
        case oldest
        /// At the next transaction.
        case now
        /// After a token.
        case after(PersistentHistoryToken)
    }

    /// A delivery to a consumer: transactions, or a state to start from.
    public enum Delivery: Sendable {
        /// Transactions, oldest first, store by store, and the token to acknowledge once they are
        /// processed. The array is empty if there are no more at present.
        case transactions([PersistentHistoryTransaction], PersistentHistoryToken)
        /// Unacknowledged transactions are gone; start again from a state.
        case resynchronize(PersistentHistoryResynchronization)
    }

    init(
        _ coordinator: PersistentStoreCoordinator, named name: String, leaseSeconds: Double,
        _ beginning: Beginning, _ stores: [StoreHandle]?
    ) throws(StoreError) {
        self.coordinator = coordinator
        self.name = name
        self.leaseSeconds = leaseSeconds
        self.stores = stores
        let histories = try coordinator.histories(of: stores)
        if histories.isEmpty {
            throw StoreError(
                .historyMissing,
                "No store of the container keeps a history for '\(name)'; describe one with keepingHistory()."
            )
        }
        if case .after(let token) = beginning { try coordinator.check(token, histories) }
        for history in histories {
            let (store, extent) = (history.store, history.extent)
            let known = try Self.consumer(name, in: store)
            var number = known?.transactionNumber ?? extent.deletedThrough
            if known == nil, let uuid = store.handle.uuid {
                switch beginning {
                case .oldest: break
                case .now: number = extent.last
                case .after(let token): number = token.transactionNumber(in: uuid) ?? number
                }
            }
            try record(number, in: history)
        }
    }

    /// Returns the position of the consumer: the last acknowledged token.
    public func token() throws(StoreError) -> PersistentHistoryToken {
        var token = PersistentHistoryToken()
        for history in try coordinator.histories(of: stores) {
            guard let uuid = history.store.handle.uuid else { continue }
            let known = try Self.consumer(name, in: history.store)
            token = token.at(known?.transactionNumber ?? history.extent.deletedThrough, in: uuid)
        }
        return token
    }

    /// Returns the transactions after the last acknowledgement. Without an acknowledgement, the
    /// next call returns them again.
    ///
    /// - Parameters:
    ///   - maximumTransactions: The most transactions to load from each store.
    ///   - token: The start, for a consumer that stores its position itself; nil for the last
    ///     acknowledgement.
    /// - Throws: ``StoreError`` `.historyTokenUnknown` for a token of other stores.
    public func next(
        maximumTransactions: Int = 1_000, after token: PersistentHistoryToken? = nil
    ) throws(StoreError) -> Delivery {
        var found: [PersistentHistoryTransaction] = []
        var reached = PersistentHistoryToken()
        if let token {
            reached = token
        } else {
            try keepWhatFollowsInNewStores()
            reached = try self.token()
        }
        let histories = try coordinator.histories(of: stores)
        try coordinator.check(reached, histories)
        for history in histories {
            let (store, extent) = (history.store, history.extent)
            guard let uuid = store.handle.uuid else { continue }
            let after = reached.transactionNumber(in: uuid) ?? extent.deletedThrough
            do throws(StoreError) {
                let page = try store.page(
                    HistoryRequest(after: after, limit: maximumTransactions))
                found += page
                if let last = page.last { reached = reached.at(last.transactionNumber, in: uuid) }
            } catch {
                guard error.code == .historyTokenExpired else { throw error }
                return .resynchronize(try coordinator.resynchronization(of: stores))
            }
        }
        return .transactions(found, reached)
    }

    /// Starts a lease in stores that were added, or got a history, since.
    private func keepWhatFollowsInNewStores() throws(StoreError) {
        for history in try coordinator.histories(of: stores)
        where try Self.consumer(name, in: history.store) == nil {
            try record(history.extent.deletedThrough, in: history)
        }
    }

    /// Records the consumer's position in one store and renews its lease there.
    private func record(_ number: Int64, in history: StoreHistory) throws(StoreError) {
        try history.write { store throws(StoreError) in
            try store.setHistoryConsumer(named: name, at: number, leaseSeconds: leaseSeconds)
        }
    }

    /// Records the consumer's position and renews its lease.
    ///
    /// - Throws: ``StoreError`` `.historyTokenUnknown` for a token of other stores.
    public func acknowledge(_ token: PersistentHistoryToken) throws(StoreError) {
        let histories = try coordinator.histories(of: stores)
        try coordinator.check(token, histories)
        for history in histories {
            guard let uuid = history.store.handle.uuid,
                let number = token.transactionNumber(in: uuid)
            else { continue }
            try record(number, in: history)
        }
    }

    /// Removes the consumer; the stores keep no more transactions for it.
    public func remove() throws(StoreError) {
        for history in try coordinator.histories(of: stores) {
            try history.write { store throws(StoreError) in
                try store.removeHistoryConsumer(named: name)
            }
        }
    }

    private static func consumer(
        _ name: String, in store: any HistoryTrackingStore
    ) throws(StoreError) -> HistoryConsumer? {
        try store.historyConsumers().first { StoredText($0.name) == StoredText(name) }
    }
}

/// A state to start again from, for a consumer whose transactions were deleted.
public struct PersistentHistoryResynchronization: Sendable {
    /// The history position of the state; acknowledge it after everything was loaded.
    public let token: PersistentHistoryToken
    /// The state. Pin a context to it with ``ManagedObjectContext/setQueryGeneration(from:)``.
    public let generation: QueryGenerationToken
}

extension PersistentStoreCoordinator {
    /// Returns a state of stores with its position in their histories.
    fileprivate func resynchronization(
        of stores: [StoreHandle]?
    ) throws(StoreError) -> PersistentHistoryResynchronization {
        var token = PersistentHistoryToken()
        var states: [StoreHandle: PinnedSnapshot] = [:]
        for connection in connections where stores?.contains(connection.handle) != false {
            let pinned = try PinnedSnapshot(connection.store)
            states[connection.handle] = pinned
            if let uuid = connection.handle.uuid {
                // Transactions have the numbers of the states that they created.
                token = token.at(pinned.generation.rawValue, in: uuid)
            }
        }
        return PersistentHistoryResynchronization(
            token: token, generation: QueryGenerationToken(value: .states(states, of: self)))
    }
}

extension PersistentContainer {
    /// Returns the consumer with a name, and creates it if needed.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer; each consumer needs its own.
    ///   - leaseSeconds: The number of seconds for which stores keep transactions for an absent
    ///     consumer; a week by default.
    ///   - beginning: The position where a new consumer starts.
    ///   - stores: The stores to follow; nil for all that keep a history.
    /// - Throws: ``StoreError`` `.historyMissing` if none of the stores keeps a history,
    ///   `.historyTokenUnknown` for a token of other stores.
    public func historyConsumer(
        named name: String, leaseSeconds: Double = 604_800,
        beginning: PersistentHistoryConsumer.Beginning = .oldest, stores: [StoreHandle]? = nil
    ) throws(StoreError) -> PersistentHistoryConsumer {
        try PersistentHistoryConsumer(
            persistentStoreCoordinator, named: name, leaseSeconds: leaseSeconds, beginning, stores)
    }

    /// Returns the position after everything saved so far; nil if no store keeps a history.
    public func currentPersistentHistoryToken(
        fromStores stores: [StoreHandle]? = nil
    ) throws(StoreError) -> PersistentHistoryToken? {
        try persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: stores)
    }
}
