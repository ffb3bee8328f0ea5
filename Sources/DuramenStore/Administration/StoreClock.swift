public import Foundation

/// A clock: the system's, or one that a test sets.
public struct StoreClock: Sendable {
    /// The time since some moment that stays the same. It runs forward.
    public let elapsed: @Sendable () -> Duration
    /// The time of day, by which transactions of a history are stamped. It may be set back.
    public let date: @Sendable () -> Date

    /// Makes a clock.
    public init(
        date: @escaping @Sendable () -> Date = { Date() },
        _ elapsed: @escaping @Sendable () -> Duration
    ) {
        self.elapsed = elapsed
        self.date = date
    }

    /// The system's clock, which goes on while the machine sleeps.
    public static let system: StoreClock = {
        let start = ContinuousClock.now
        return StoreClock { ContinuousClock.now - start }
    }()
}

extension PersistentStoreDescription {
    /// Returns this description with another clock for the ages of snapshots.
    public func clock(_ clock: StoreClock) -> PersistentStoreDescription {
        var copy = self
        copy.clock = clock
        return copy
    }
}
