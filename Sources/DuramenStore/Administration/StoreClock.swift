public import Foundation

/// A clock: the system's, or one that a test sets.
public struct StoreClock: Sendable {
    /// Returns the time since a fixed moment. It never goes back.
    public let elapsed: @Sendable () -> Duration
    /// Returns the time of day, for the timestamps of transactions in a history. It may be set
    /// back.
    public let date: @Sendable () -> Date

    /// Creates a clock.
    public init(
        date: @escaping @Sendable () -> Date = { Date() },
        _ elapsed: @escaping @Sendable () -> Duration
    ) {
        self.elapsed = elapsed
        self.date = date
    }

    /// The system's clock, which continues while the machine sleeps.
    public static let system: StoreClock = {
        let start = ContinuousClock.now
        return StoreClock { ContinuousClock.now - start }
    }()
}

extension PersistentStoreDescription {
    /// Returns this description with another clock, for the ages of snapshots and for dates in the
    /// history.
    public func clock(_ clock: StoreClock) -> PersistentStoreDescription {
        var copy = self
        copy.clock = clock
        return copy
    }
}
