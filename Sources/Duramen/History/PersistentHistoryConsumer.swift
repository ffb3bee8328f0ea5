public import DuramenModel
public import DuramenStore
import Foundation

/// Somebody who follows the history of a container's stores to its end, across launches: a search
/// position, a mirror, a widget.
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
/// The stores keep what is not acknowledged for as long as the lease, which each acknowledgement
/// renews. Whoever is away for longer may find that transactions are gone, and is told to begin
/// from the present state.
public final class PersistentHistoryConsumer: Sendable {
    /// The consumer's name, one for each who follows.
    public let name: String
    /// How long the stores keep transactions for a consumer who is away, in seconds.
    public let leaseSeconds: Double
    private let coordinator: PersistentStoreCoordinator
    private let stores: [StoreHandle]?

    /// Where a new consumer begins.
    public enum Beginning: Sendable, Hashable {
        /// With the first transaction that is told.
        case oldest
        /// With the next one.
        case now
        /// Behind a token.
        case after(PersistentHistoryToken)
    }

    /// A delivery to a consumer: transactions, or a state to start from.
    public enum Delivery: Sendable {
        /// Transactions, oldest first, store by store, and the token to acknowledge once they are
        /// dealt with. None when there are no more at present.
        case transactions([PersistentHistoryTransaction], PersistentHistoryToken)
        /// Transactions that were not acknowledged are gone: begin anew from a state.
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
        for (store, extent) in histories {
            let known = try Self.consumer(name, in: store)
            var number = known?.transactionNumber ?? extent.deletedThrough
            if known == nil, let uuid = store.handle.uuid {
                switch beginning {
                case .oldest: break
                case .now: number = extent.last
                case .after(let token): number = token.transactionNumber(in: uuid) ?? number
                }
            }
            try store.setHistoryConsumer(named: name, at: number, leaseSeconds: leaseSeconds)
        }
    }

    /// How far the consumer is: the last token that was acknowledged.
    public func token() throws(StoreError) -> PersistentHistoryToken {
        var token = PersistentHistoryToken()
        for (store, extent) in try coordinator.histories(of: stores) {
            guard let uuid = store.handle.uuid else { continue }
            let known = try Self.consumer(name, in: store)
            token = token.at(known?.transactionNumber ?? extent.deletedThrough, in: uuid)
        }
        return token
    }

    /// Reads what follows the last acknowledgement. Without one, the same comes again.
    ///
    /// - Parameters:
    ///   - maximumTransactions: How many to read of each store at most.
    ///   - token: Where to begin, for a consumer that keeps its position itself; nil for the last
    ///     acknowledgement.
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
        for (store, extent) in try coordinator.histories(of: stores) {
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

    /// Begins a lease in stores that came to the container, or to keep a history, since.
    private func keepWhatFollowsInNewStores() throws(StoreError) {
        for (store, extent) in try coordinator.histories(of: stores)
        where try Self.consumer(name, in: store) == nil {
            try store.setHistoryConsumer(
                named: name, at: extent.deletedThrough, leaseSeconds: leaseSeconds)
        }
    }

    /// Says how far the consumer is, and renews its lease.
    public func acknowledge(_ token: PersistentHistoryToken) throws(StoreError) {
        for (store, _) in try coordinator.histories(of: stores) {
            guard let uuid = store.handle.uuid, let number = token.transactionNumber(in: uuid)
            else { continue }
            try store.setHistoryConsumer(named: name, at: number, leaseSeconds: leaseSeconds)
        }
    }

    /// Ends following for ever: nothing is kept for the consumer any more.
    public func remove() throws(StoreError) {
        for (store, _) in try coordinator.histories(of: stores) {
            try store.removeHistoryConsumer(named: name)
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
    /// The position in the history of that state: acknowledge it once everything was read.
    public let token: PersistentHistoryToken
    /// The state itself: pin a context to it, see
    /// ``ManagedObjectContext/setQueryGeneration(from:)``.
    public let generation: QueryGenerationToken
}

extension PersistentStoreCoordinator {
    /// A state of stores, with its position in their histories.
    fileprivate func resynchronization(
        of stores: [StoreHandle]?
    ) throws(StoreError) -> PersistentHistoryResynchronization {
        var token = PersistentHistoryToken()
        var states: [StoreHandle: PinnedSnapshot] = [:]
        for connection in connections where stores?.contains(connection.handle) != false {
            let pinned = try PinnedSnapshot(connection.store)
            states[connection.handle] = pinned
            if let uuid = connection.handle.uuid {
                // Transactions have the numbers of the states that they made.
                token = token.at(pinned.generation.rawValue, in: uuid)
            }
        }
        return PersistentHistoryResynchronization(
            token: token, generation: QueryGenerationToken(value: .states(states, of: self)))
    }
}

extension PersistentContainer {
    /// The consumer of a name: the one that was there before, or a new one.
    ///
    /// - Parameters:
    ///   - name: The name, one for each who follows.
    ///   - leaseSeconds: How long the stores keep transactions for a consumer who is away; a week
    ///     by default.
    ///   - beginning: Where a new consumer begins.
    ///   - stores: Which stores to follow; nil for all that keep a history.
    /// - Throws: ``StoreError`` `.historyMissing` when none of them keeps one.
    public func historyConsumer(
        named name: String, leaseSeconds: Double = 604_800,
        beginning: PersistentHistoryConsumer.Beginning = .oldest, stores: [StoreHandle]? = nil
    ) throws(StoreError) -> PersistentHistoryConsumer {
        try PersistentHistoryConsumer(
            persistentStoreCoordinator, named: name, leaseSeconds: leaseSeconds, beginning, stores)
    }

    /// The position behind all that was saved so far; nil when no store keeps a history.
    public func currentPersistentHistoryToken(
        fromStores stores: [StoreHandle]? = nil
    ) throws(StoreError) -> PersistentHistoryToken? {
        try persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: stores)
    }
}
