/// A store with housekeeping of its own, such as the checkpoints of a log.
public protocol MaintainingStore: PersistentStore {
    /// Does the housekeeping that is due. Readers and writers may continue meanwhile, and nothing
    /// waits for a reader.
    ///
    /// - Throws: `.storeBusy` when another process uses the store for longer than the time-out.
    @discardableResult func maintain() throws(StoreError) -> MaintenanceReport
}

/// The result of housekeeping.
public struct MaintenanceReport: Sendable, Hashable {
    /// The number of bytes by which the store's files became shorter.
    public var bytesFreed: Int64
    /// The number of snapshots that were ended because they outlived their lease.
    public var endedSnapshots: Int
    /// The number of value files that were removed because no row refers to them.
    public var removedFiles: Int
    /// Whether nothing is left to do. Readers, in this or another process, can leave work for the
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
