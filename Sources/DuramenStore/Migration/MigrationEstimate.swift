/// A rough estimate of the disk space and time that a change of a store's model takes.
///
/// The figures are those of a machine of 2024 with a solid disk; another one takes as many times
/// more or less.
public struct MigrationEstimate: Sendable, Hashable {
    /// How many bytes of disk it needs beside the store's files, without a copy of these.
    public var bytes: Int
    /// How long it takes, in seconds, without a copy.
    public var seconds: Double
    /// How many bytes the store's files have, and a copy of them.
    public var storeBytes: Int

    /// Estimates.
    public init(bytes: Int = 0, seconds: Double = 0, storeBytes: Int = 0) {
        self.bytes = bytes
        self.seconds = seconds
        self.storeBytes = storeBytes
    }

    /// Adds work on rows.
    public mutating func add(rows: Int, secondsPerMillion: Double, bytes: Int) {
        seconds += Double(rows) / 1_000_000 * secondsPerMillion
        self.bytes += bytes
    }

    /// The same, with a copy of the store.
    func withBackup() -> MigrationEstimate {
        // A disk writes some 400 MB a second.
        MigrationEstimate(
            bytes: bytes + storeBytes, seconds: seconds + Double(storeBytes) / 400_000_000,
            storeBytes: storeBytes)
    }
}
