/// The optional capabilities of a store. Each capability has a protocol of its own.
public struct StoreCapabilities: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Saved data survives closing and opening the store.
    public static let durable = StoreCapabilities(rawValue: 1 << 0)
    /// The store conforms to ``MaintainingStore``.
    public static let maintenance = StoreCapabilities(rawValue: 1 << 1)
    /// The store conforms to ``BatchWritingStore``.
    public static let batches = StoreCapabilities(rawValue: 1 << 2)
    /// The store conforms to ``HistoryTrackingStore``.
    public static let history = StoreCapabilities(rawValue: 1 << 3)
    /// The store conforms to ``ChangeObservingStore``.
    public static let changeObservation = StoreCapabilities(rawValue: 1 << 4)
    /// The store keeps derived attributes, as ``DerivedAttributes`` computes them, within each save
    /// and each part of a batch.
    public static let derivedAttributes = StoreCapabilities(rawValue: 1 << 5)
    /// The store conforms to ``SchemaMigratingStore``.
    public static let schemaMigration = StoreCapabilities(rawValue: 1 << 6)
    /// The store conforms to ``GroupSavingStore``.
    public static let groupSaves = StoreCapabilities(rawValue: 1 << 7)
}
