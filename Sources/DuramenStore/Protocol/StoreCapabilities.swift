/// What a store can do beyond the required. Each capability is a protocol of its own.
public struct StoreCapabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt32

    /// Makes a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// What is saved is there again after closing and opening.
    public static let durable = StoreCapabilities(rawValue: 1 << 0)
    /// The store conforms to ``MaintainingStore``.
    public static let maintenance = StoreCapabilities(rawValue: 1 << 1)
}

/// A store with housekeeping of its own, such as the checkpoints of a log.
public protocol MaintainingStore: PersistentStore {
    /// Does the housekeeping that is due. Readers and writers may go on meanwhile.
    ///
    /// - Throws: `.storeBusy` when another process holds the store longer than the time-out.
    func maintain() throws(StoreError)
}

extension PersistentStore {
    /// Does the store's housekeeping.
    ///
    /// - Throws: `.unsupported` when the store does not declare ``StoreCapabilities/maintenance``.
    public func maintainIfCapable() throws(StoreError) {
        guard capabilities.contains(.maintenance), let store = self as? any MaintainingStore else {
            throw StoreError(
                .unsupported,
                "The store has no housekeeping of its own; there is nothing to maintain.")
        }
        try store.maintain()
    }
}
