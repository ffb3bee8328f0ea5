/// A store with housekeeping of its own, such as the checkpoints of a log.
public protocol MaintainingStore: PersistentStore {
    /// Does the housekeeping that is due. Readers and writers may go on meanwhile, and nothing
    /// waits for a reader.
    ///
    /// - Throws: `.storeBusy` when another process holds the store longer than the time-out.
    @discardableResult func maintain() throws(StoreError) -> MaintenanceReport
}

/// The result of housekeeping.
public struct MaintenanceReport: Sendable, Hashable {
    /// By how much the store's files became shorter.
    public var bytesFreed: Int64
    /// How many snapshots were ended, because they were held for longer than their lease.
    public var endedSnapshots: Int
    /// How many files of values were removed that no row refers to.
    public var removedFiles: Int
    /// Whether nothing is left to do. Readers, here or in another process, leave something for the
    /// next time.
    public var isComplete: Bool

    /// Describes housekeeping; by default, that there was nothing to do.
    public init(
        bytesFreed: Int64 = 0, endedSnapshots: Int = 0, removedFiles: Int = 0,
        isComplete: Bool = true
    ) {
        self.bytesFreed = bytesFreed
        self.endedSnapshots = endedSnapshots
        self.removedFiles = removedFiles
        self.isComplete = isComplete
    }
}

extension PersistentStore {
    /// Does the store's housekeeping.
    ///
    /// - Throws: `.unsupported` when the store does not declare ``StoreCapabilities/maintenance``.
    @discardableResult
    public func maintainIfCapable() throws(StoreError) -> MaintenanceReport {
        guard capabilities.contains(.maintenance), let store = self as? any MaintainingStore else {
            throw StoreError(
                .unsupported,
                "The store has no housekeeping of its own; there is nothing to maintain.")
        }
        return try store.maintain()
    }
}
