public import Foundation

/// A store that can record a history: which objects each save and batch inserted, updated and
/// deleted, and the author.
///
/// It declares ``StoreCapabilities/history``, and adds a law to those of ``PersistentStore``. Once
/// a history has begun, each committed save or batch is one transaction, with the number of the
/// state that it created. Nothing else is a transaction, and transactions that a live consumer
/// needs are not deleted.
public protocol HistoryTrackingStore: PersistentStore {
    /// Starts a history with the next save, permanently and for all users of the store. If there is
    /// a history, it continues.
    func beginHistory() throws(StoreError)

    /// Returns the range of transactions that the history contains, or nil if it was never started.
    func historyExtent() throws(StoreError) -> HistoryExtent?

    /// Returns transactions, oldest first.
    ///
    /// - Throws: `.historyTokenExpired` when requested transactions were deleted, or when the store
    ///   is older than the requested position; `.historyMissing` when no history was started.
    func history(_ request: HistoryRequest) throws(StoreError) -> [PersistentHistoryTransaction]

    /// Deletes the oldest transactions that no live consumer needs.
    ///
    /// - Throws: `.historyMissing` when no history was started.
    @discardableResult
    func deleteHistory(_ deletion: HistoryDeletion) throws(StoreError) -> HistoryDeletion.Outcome

    /// Returns the consumers for which transactions are kept, by name.
    func historyConsumers() throws(StoreError) -> [HistoryConsumer]

    /// Adds a consumer, or moves an existing consumer with this name and renews its lease. This is
    /// not recorded as a transaction.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - transactionNumber: The number of the last transaction that the consumer has processed.
    ///   - leaseSeconds: The duration of the lease, by the store's clock.
    func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError)

    /// Removes a consumer. An unknown name is ignored.
    func removeHistoryConsumer(named name: String) throws(StoreError)
}

/// The range of transactions that a history contains.
public struct HistoryExtent: Sendable, Hashable {
    /// The history contains all transactions after this number, and none up to it.
    public var deletedThrough: Int64
    /// The number of the newest state.
    public var last: Int64

    /// Describes the extent of a history.
    public init(deletedThrough: Int64, last: Int64) {
        self.deletedThrough = deletedThrough
        self.last = last
    }

    /// Throws an error if the history does not contain all transactions after a number.
    ///
    /// - Throws: `.historyTokenExpired`
    public func check(after number: Int64, path: String) throws(StoreError) {
        if number < deletedThrough {
            throw StoreError(
                .historyTokenExpired,
                "The history of '\(path)' begins behind transaction \(deletedThrough), and what follows \(number) was "
                    + "asked for. Read what the store has now, and go on from its current token.")
        }
        if number > last {
            throw StoreError(
                .historyTokenExpired,
                "The history of '\(path)' ends with transaction \(last), and what follows \(number) was asked for: the "
                    + "store is an older copy. Read what it has now, and go on from its current token."
            )
        }
    }
}

/// A request for transactions.
public struct HistoryRequest: Sendable, Hashable {
    /// The number after which to start.
    public var after: Int64
    /// The number of the last transaction to read.
    public var through: Int64
    /// The largest number of transactions to read.
    public var limit: Int
    /// Whether to read the changes of the transactions.
    public var includesChanges: Bool

    /// Describes a request for transactions.
    public init(
        after: Int64 = 0, through: Int64 = .max, limit: Int = .max, includesChanges: Bool = true
    ) {
        self.after = after
        self.through = through
        self.limit = max(0, limit)
        self.includesChanges = includesChanges
    }
}

/// The transactions to delete.
public struct HistoryDeletion: Sendable, Hashable {
    /// The number of the last transaction to delete.
    public var through: Int64
    /// Deletes only transactions before the first one that is not older than this date; nil for any
    /// age.
    public var olderThan: Date?

    /// Describes a deletion.
    public init(through: Int64 = .max, olderThan: Date? = nil) {
        self.through = through
        self.olderThan = olderThan
    }

    /// The result of a deletion.
    public struct Outcome: Sendable, Hashable {
        /// The number of deleted transactions.
        public var count: Int
        /// The names of the consumers for which other transactions were kept.
        public var keptFor: [String]

        /// Describes the result of a deletion.
        public init(count: Int, keptFor: [String]) {
            self.count = count
            self.keptFor = keptFor
        }
    }

}

extension [HistoryConsumer] {
    /// Returns how far transactions may be deleted, and the consumers for which later ones are
    /// kept.
    ///
    /// - Parameters:
    ///   - limit: The number of the last existing transaction to delete.
    ///   - now: The current time.
    public func bound(
        _ limit: Int64, at now: Date
    ) -> (through: Int64, keptFor: [String]) {
        let keeping = filter { $0.isLive(at: now) && $0.transactionNumber < limit }
        return (keeping.map(\.transactionNumber).min() ?? limit, keeping.map(\.name).sorted())
    }
}

extension HistoryTrackingStore {
    // The number of transactions between two searches for old ones.
    private static var transactionsPerLook: Int64 { 1_024 }

    /// Deletes transactions that are too old, now and then.
    ///
    /// - Parameters:
    ///   - generation: The state that was just created.
    ///   - seconds: How long transactions are kept; nil to keep all.
    ///   - clock: The store's clock.
    public func deleteOldHistory(
        after generation: StoreGeneration, seconds: Double?, _ clock: StoreClock
    ) {
        if generation.rawValue % Self.transactionsPerLook != 0 { return }
        // After an error, a later call deletes them.
        try? deleteOldHistory(seconds: seconds, clock)
    }

    /// Deletes transactions that are too old.
    public func deleteOldHistory(seconds: Double?, _ clock: StoreClock) throws(StoreError) {
        guard let seconds, try historyExtent() != nil else { return }
        try deleteHistory(HistoryDeletion(olderThan: clock.date() - seconds))
    }
}

extension PersistentStore {
    /// Returns the store as one that can record a history.
    ///
    /// - Throws: `.unsupported` when it does not declare ``StoreCapabilities/history``.
    public func historyTracking() throws(StoreError) -> any HistoryTrackingStore {
        guard capabilities.contains(.history), let store = self as? any HistoryTrackingStore else {
            throw StoreError(
                .unsupported, "The store keeps no history; use a store with the capability.")
        }
        return store
    }
}

extension StoreError {
    /// Returns the error for a history that was not started.
    public static func historyMissing(_ path: String) -> StoreError {
        StoreError(
            .historyMissing,
            "'\(path)' keeps no history; open it with a description that says keepingHistory().")
    }
}
