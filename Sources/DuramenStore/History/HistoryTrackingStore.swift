public import Foundation

/// A store that can keep a history: which objects each save and batch inserted, updated and
/// deleted, and who did it.
///
/// It declares ``StoreCapabilities/history``, and adds a law to those of ``PersistentStore``: once
/// a history was begun, each save and batch that is committed is one transaction of it, with the
/// number of the state that it made, and nothing else is; and what a live consumer still needs is
/// not deleted.
public protocol HistoryTrackingStore: PersistentStore {
    /// Begins a history with the next save, for all who have the store open and for ever. One that
    /// was begun goes on.
    func beginHistory() throws(StoreError)

    /// Returns the range of transactions that the history contains, or nil if it was never started.
    func historyExtent() throws(StoreError) -> HistoryExtent?

    /// Reads transactions, oldest first.
    ///
    /// - Throws: `.historyTokenExpired` when some of what is asked for was deleted, or when the
    ///   store is older than the place asked for; `.historyMissing` when no history was begun.
    func history(_ request: HistoryRequest) throws(StoreError) -> [PersistentHistoryTransaction]

    /// Deletes the oldest transactions, as far as no live consumer needs them.
    ///
    /// - Throws: `.historyMissing` when no history was begun.
    @discardableResult
    func deleteHistory(_ deletion: HistoryDeletion) throws(StoreError) -> HistoryDeletion.Outcome

    /// Returns the consumers for which transactions are kept, by name.
    func historyConsumers() throws(StoreError) -> [HistoryConsumer]

    /// Adds a consumer, or moves an existing one with the same name and renews its lease. This is
    /// not recorded as a transaction.
    ///
    /// - Parameters:
    ///   - transactionNumber: The number of the last transaction that is done with.
    ///   - leaseSeconds: For how long that counts, by the store's clock.
    func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError)

    /// Removes a consumer. An unknown one is ignored.
    func removeHistoryConsumer(named name: String) throws(StoreError)
}

/// The range of transactions that a history contains.
public struct HistoryExtent: Sendable, Hashable {
    /// Transactions up to this number are not told, or not any more; all behind it are.
    public var deletedThrough: Int64
    /// The number of the newest state.
    public var last: Int64

    /// Describes a history.
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

/// Which transactions are read.
public struct HistoryRequest: Sendable, Hashable {
    /// The number behind which to begin.
    public var after: Int64
    /// The number of the last transaction to read.
    public var through: Int64
    /// How many transactions to read at most.
    public var limit: Int
    /// Whether their changes are wanted.
    public var includesChanges: Bool

    /// Asks for transactions.
    public init(
        after: Int64 = 0, through: Int64 = .max, limit: Int = .max, includesChanges: Bool = true
    ) {
        self.after = after
        self.through = through
        self.limit = max(0, limit)
        self.includesChanges = includesChanges
    }
}

/// Which transactions are deleted.
public struct HistoryDeletion: Sendable, Hashable {
    /// The number of the last one to delete.
    public var through: Int64
    /// Only those before the first one that is not older than this; nil for whatever age.
    public var olderThan: Date?

    /// Asks for a deletion.
    public init(through: Int64 = .max, olderThan: Date? = nil) {
        self.through = through
        self.olderThan = olderThan
    }

    /// The result of a deletion.
    public struct Outcome: Sendable, Hashable {
        /// How many transactions were deleted.
        public var count: Int
        /// The consumers because of whom others were not, by name.
        public var keptFor: [String]

        /// Describes a deletion.
        public init(count: Int, keptFor: [String]) {
            self.count = count
            self.keptFor = keptFor
        }
    }

}

extension [HistoryConsumer] {
    /// How far transactions may be deleted, and for whom later ones are kept.
    ///
    /// - Parameter limit: The last one of those that are to be deleted and are there.
    public func bound(
        _ limit: Int64, at now: Date
    ) -> (through: Int64, keptFor: [String]) {
        let keeping = filter { $0.isLive(at: now) && $0.transactionNumber < limit }
        return (keeping.map(\.transactionNumber).min() ?? limit, keeping.map(\.name).sorted())
    }
}

extension HistoryTrackingStore {
    // So many transactions pass between two looks for old ones.
    private static var transactionsPerLook: Int64 { 1_024 }

    /// Deletes transactions that are too old, now and then.
    ///
    /// - Parameters:
    ///   - generation: The state that was made just now.
    ///   - seconds: How long they are kept; nil for ever.
    public func deleteOldHistory(
        after generation: StoreGeneration, seconds: Double?, _ clock: StoreClock
    ) {
        if generation.rawValue % Self.transactionsPerLook != 0 { return }
        // What cannot be deleted now is deleted another time.
        try? deleteOldHistory(seconds: seconds, clock)
    }

    /// Deletes transactions that are too old.
    public func deleteOldHistory(seconds: Double?, _ clock: StoreClock) throws(StoreError) {
        guard let seconds, try historyExtent() != nil else { return }
        try deleteHistory(HistoryDeletion(olderThan: clock.date() - seconds))
    }
}

extension PersistentStore {
    /// The store, if it can keep a history.
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
    /// The error of a history that was not begun.
    public static func historyMissing(_ path: String) -> StoreError {
        StoreError(
            .historyMissing,
            "'\(path)' keeps no history; open it with a description that says keepingHistory().")
    }
}
