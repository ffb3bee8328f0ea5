public import Foundation

/// Somebody who reads the history of a store, and how far they are.
///
/// While the lease is live, nothing behind their place is deleted. A lease is renewed whenever they
/// say how far they are, so that one who is gone keeps nothing for ever.
public struct HistoryConsumer: Sendable, Hashable, Codable {
    /// The consumer's name.
    public var name: String
    /// The number of the last transaction that is done with.
    public var transactionNumber: Int64
    /// How long the lease is, in seconds.
    public var leaseSeconds: Double
    /// When the lease was renewed last.
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

    /// Whether the lease is not over. One that was renewed in the future, by a clock that was set
    /// back since, is live.
    public func isLive(at now: Date) -> Bool { now.timeIntervalSince(renewedAt) <= leaseSeconds }
}
