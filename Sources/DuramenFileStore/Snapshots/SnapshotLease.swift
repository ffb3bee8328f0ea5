public import DuramenStore

/// How long a snapshot may keep the space of an old state.
///
/// A store notes ``now`` with every snapshot that it hands out. When a save or housekeeping needs
/// the space and the lease is over, it ends the snapshot, and its users get ``expired(_:)``. There
/// is no timer.
public struct SnapshotLease: Sendable {
    /// The length of the lease, in seconds.
    public var seconds: Double
    /// Where the ages of snapshots are read from.
    public var clock: StoreClock

    /// Describes a lease.
    public init(seconds: Double, clock: StoreClock = .system) {
        self.seconds = seconds
        self.clock = clock
    }

    /// The time by the lease's clock.
    public var now: Duration { clock.elapsed() }

    /// Whether a lease that began, or was renewed, at a time is over.
    public func isOver(since beginning: Duration) -> Bool {
        (now - beginning) / .seconds(1) >= seconds
    }

    /// The error that users of an ended snapshot get.
    ///
    /// - Parameter path: The store, as messages name it.
    public func expired(_ path: String) -> StoreError {
        StoreError(
            .snapshotExpired,
            "A snapshot of '\(path)' was held for longer than \(seconds) s, and the store needed the "
                + "space. Take a new snapshot, or give a longer lease.")
    }
}

extension PersistentStoreDescription {
    /// The lease of the store's snapshots.
    public var lease: SnapshotLease { SnapshotLease(seconds: snapshotLeaseSeconds, clock: clock) }
}
