/// An observation or effect of transactions that isolation excludes.
public struct IsolationAnomaly: Sendable, Hashable {
    /// The kinds of anomalies, mostly with the names of Adya, "Weak Consistency" (1999).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The writes of transactions have no common order (G0, dirty write).
        case writeCycle = "G0"
        /// A committed transaction saw a write of an aborted one (G1a).
        case abortedRead = "G1a"
        /// A transaction saw a part of another's writes to a list (G1b).
        case intermediateRead = "G1b"
        /// Transactions saw each other's writes in a cycle (G1c).
        case circularInformation = "G1c"
        /// One transaction of a cycle saw a state from before another one of the cycle (read skew).
        case readSkew = "G-single"
        /// Two transactions saw one state of a list and both wrote to it, or a write was lost.
        case lostUpdate = "lost update"
        /// Several transactions of a cycle saw states from before others of the cycle (write skew).
        case writeSkew = "G2"
        /// A transaction did not see its own earlier reads or writes.
        case internalInconsistency = "internal"
        /// Two reads of a list are not prefixes of one list.
        case incompatibleOrder = "incompatible order"
        /// A number was read that no transaction wrote, or was read twice.
        case unknownNumber = "unknown number"
    }

    /// The kind of anomaly.
    public let kind: Kind
    /// The affected transactions; those of a cycle in its order.
    public let transactions: [String]
    /// A description of the observed anomaly.
    public let detail: String

    init(_ kind: Kind, _ transactions: [String], _ detail: String) {
        self.kind = kind
        self.transactions = transactions
        self.detail = detail
    }
}

extension IsolationAnomaly: CustomStringConvertible {
    /// The kind, the transactions and the observation.
    public var description: String {
        "\(kind.rawValue) of \(transactions.joined(separator: ", ")): \(detail)"
    }
}
