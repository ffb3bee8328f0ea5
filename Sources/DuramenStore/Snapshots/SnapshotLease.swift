/// How long a snapshot may keep the space of an old state.
///
/// A store records ``now`` with every new snapshot. When a save or housekeeping needs the space and
/// the lease has expired, it ends the snapshot, and its users get ``expired(_:)``. No timer is
/// used.
public struct SnapshotLease: Sendable {
    /// The duration of the lease, in seconds.
    public var seconds: Double
    /// The clock for the ages of snapshots.
    public var clock: StoreClock

    /// Creates a lease.
    public init(seconds: Double, clock: StoreClock = .system) {
        self.seconds = seconds
        self.clock = clock
    }

    /// The time by the lease's clock.
    public var now: Duration { clock.elapsed() }

    /// Returns whether a lease that was started or renewed at a time has expired.
    public func isOver(since beginning: Duration) -> Bool {
        (now - beginning) / .seconds(1) >= seconds
    }

    /// Returns the error for users of an ended snapshot.
    ///
    /// - Parameter path: The store's path, for messages.
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
