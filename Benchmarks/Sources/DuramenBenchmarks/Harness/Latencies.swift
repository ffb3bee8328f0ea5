/// How long each of many operations takes by the clock.
struct Latencies {
    private var nanoseconds: [Double] = []

    /// Runs one operation.
    mutating func time(_ body: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try body()
        nanoseconds.append(start.duration(to: .now) / .nanoseconds(1))
    }

    /// What all operations would take if each were like the one in the middle.
    var medianTotal: Double {
        let sorted = nanoseconds.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2] * Double(sorted.count)
    }
}
