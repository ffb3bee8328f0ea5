/// A rough estimate of the cost of migrating a store.
///
/// The figures are for a machine of 2024 with a solid-state disk.
public struct MigrationEstimate: Sendable, Hashable {
    /// The disk space in bytes that the migration needs besides the store's files and a backup.
    public var bytes: Int
    /// The duration in seconds, without a backup.
    public var seconds: Double
    /// The size of the store's files in bytes, which is also that of a backup.
    public var storeBytes: Int

    /// Creates an estimate.
    public init(bytes: Int = 0, seconds: Double = 0, storeBytes: Int = 0) {
        self.bytes = bytes
        self.seconds = seconds
        self.storeBytes = storeBytes
    }

    /// Adds the cost of work on rows.
    public mutating func add(rows: Int, secondsPerMillion: Double, bytes: Int) {
        seconds += Double(rows) / 1_000_000 * secondsPerMillion
        self.bytes += bytes
    }

    /// Returns this estimate with the cost of a copy of the store.
    func withBackup() -> MigrationEstimate {
        // A disk writes about 400 MB a second.
        MigrationEstimate(
            bytes: bytes + storeBytes, seconds: seconds + Double(storeBytes) / 400_000_000,
            storeBytes: storeBytes)
    }
}
