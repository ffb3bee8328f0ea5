/// A point in time after which nobody waits any longer. Changes of the system's clock do not move
/// it.
struct Deadline: Sendable, Hashable {
    private let instant: ContinuousClock.Instant?

    private init(instant: ContinuousClock.Instant?) { self.instant = instant }

    /// Creates a deadline that many seconds from now; below zero it has passed.
    init(seconds: Double) {
        // After a century nobody waits. A deadline that is not a number has passed.
        let most = 3_000_000_000.0
        instant = seconds < most ? .now + .seconds(seconds > 0 ? seconds : 0) : nil
    }

    /// A deadline that never passes.
    static let none = Deadline(instant: nil)

    /// Whether it has passed.
    var isPassed: Bool { instant.map { .now >= $0 } ?? false }

    /// How many milliseconds are left, rounded up; nil without a limit.
    var remainingMilliseconds: Int32? {
        guard let instant else { return nil }
        let left = ContinuousClock.now.duration(to: instant) / .milliseconds(1)
        return left > 0 ? Int32(min(left + 1, 2_000_000_000)) : 0
    }
}
