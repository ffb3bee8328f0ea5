/// Something that transactions saw or did and that isolation excludes.
public struct IsolationAnomaly: Sendable, Hashable {
    /// The kinds, most by the names of Adya, "Weak Consistency" (1999).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Writes of transactions are in no common order (G0, dirty write).
        case writeCycle = "G0"
        /// A committed transaction saw something of one that was aborted (G1a).
        case abortedRead = "G1a"
        /// A transaction saw a part of what another one wrote to a list (G1b).
        case intermediateRead = "G1b"
        /// Transactions saw each other's writes in a circle (G1c).
        case circularInformation = "G1c"
        /// One transaction of a circle saw a state from before another one of it (read skew).
        case readSkew = "G-single"
        /// Two transactions saw the same state of a list and both wrote to it, or a write is gone.
        case lostUpdate = "lost update"
        /// Several transactions of a circle saw states from before others of it (write skew).
        case writeSkew = "G2"
        /// A transaction did not see what it had seen or written itself.
        case internalInconsistency = "internal"
        /// Two reads of a list are no beginnings of one and the same list.
        case incompatibleOrder = "incompatible order"
        /// A number was read that nobody wrote, or one twice.
        case unknownNumber = "unknown number"
    }

    /// The kind.
    public let kind: Kind
    /// The transactions that it is about; of a circle, in its order.
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
    /// The kind, the transactions and what was seen.
    public var description: String {
        "\(kind.rawValue) of \(transactions.joined(separator: ", ")): \(detail)"
    }
}
