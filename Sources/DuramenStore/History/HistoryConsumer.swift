public import Foundation

/// A reader of a store's history, and its position.
///
/// While the lease is live, no transaction after the position is deleted. The lease is renewed
/// whenever the consumer reports its position, so an abandoned consumer does not keep transactions
/// forever.
public struct HistoryConsumer: Sendable, Hashable, Codable {
    /// The consumer's name.
    public var name: String
    /// The number of the last transaction that the consumer has processed.
    public var transactionNumber: Int64
    /// The duration of the lease, in seconds.
    public var leaseSeconds: Double
    /// The time of the last renewal.
    public var renewedAt: Date

    /// Describes a consumer.
    public init(
        name: String, transactionNumber: Int64, leaseSeconds: Double, renewedAt: Date
    ) {
        self.name = name
        self.transactionNumber = transactionNumber
        self.leaseSeconds = leaseSeconds
        self.renewedAt = renewedAt
    }

    /// Throws an error if the lease is not a number. A negative lease has already expired.
    ///
    /// - Throws: `.invalidRequest`
    public static func checkLease(_ seconds: Double) throws(StoreError) {
        if !seconds.isNaN { return }
        throw StoreError(
            .invalidRequest,
            "The lease of a consumer of history is not a number of seconds. Give it one.")
    }

    /// Whether the lease has not expired. A lease that was renewed in the future, by a clock that
    /// was set back later, is live.
    public func isLive(at now: Date) -> Bool { now.timeIntervalSince(renewedAt) <= leaseSeconds }
}
