import Foundation

/// One of those whose times are compared.
struct Contestant {
    let name: String
    /// Makes ready for a round, outside of the clock.
    var prepare: @MainActor () throws -> Void = {}
    /// Works, and returns the seconds that a unit of work took.
    let body: @MainActor () throws -> Double
}

/// Runs contestants in turn, and prints how their times compare.
@MainActor
final class Report {
    let options: Options
    /// Whether a figure was above its limit.
    private(set) var hasMissed = false

    init(_ options: Options) {
        self.options = options
        print(
            "row".padded(64) + "ours".padded(11) + "beside".padded(11) + "ratio  limit  processor")
    }

    /// Measures contestants. The first is ours; each of the others is set beside it.
    ///
    /// - Parameters:
    ///   - name: The name of the row.
    ///   - limits: The largest ratio to each of the others; nil where there is none.
    ///   - growing: Whether a larger ratio is better, and the limit the smallest.
    func measure(
        _ name: String, _ contestants: [Contestant], limits: [Double?], growing: Bool = false
    ) throws {
        guard options.includes(name) else { return }
        let contestants = options.isOursOnly ? Array(contestants.prefix(1)) : contestants
        var times = [[Double]](repeating: [], count: contestants.count)
        var loads = times
        for round in 0...options.rounds {
            for (index, contestant) in contestants.enumerated() {
                try contestant.prepare()
                let clock = Clock.now
                let processor = Clock.processor
                let seconds = try contestant.body()
                let load = (Clock.processor - processor) / (Clock.now - clock)
                if round == 0 { continue }
                times[index].append(seconds)
                loads[index].append(load)
            }
        }
        if contestants.count == 1 { print(name, Self.text(times[0].median)) }
        for (index, limit) in zip(1..<max(1, contestants.count), limits) {
            let ratios = zip(times[0], times[index]).map { growing ? $1 / $0 : $0 / $1 }
            let ratio = ratios.median
            let misses = limit.map { growing ? ratio < $0 : ratio > $0 } ?? false
            hasMissed = hasMissed || misses
            print(
                "\(name) : \(contestants[index].name)".padded(64)
                    + Self.text(times[0].median).padded(11)
                    + Self.text(times[index].median).padded(11)
                    + String(format: "%5.2f ", ratio)
                    + (limit.map { String(format: "%5.2f%@", $0, misses ? "!" : " ") }
                        ?? "      ")
                    + String(
                        format: "  %3.0f %% : %3.0f %%", loads[0].median * 100,
                        loads[index].median * 100))
        }
        // The output may go to a file, and a run takes minutes.
        fflush(nil)
    }

    private static func text(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.001: String(format: "%.1f µs", seconds * 1e6)
        case ..<1: String(format: "%.2f ms", seconds * 1e3)
        default: String(format: "%.2f s", seconds)
        }
    }
}

/// Clocks, in seconds.
enum Clock {
    static var now: Double { read(CLOCK_MONOTONIC) }
    /// The processor time of all threads of the process.
    static var processor: Double { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// Returns the median time of calls, which a few interruptions do not change.
    ///
    /// - Parameters:
    ///   - count: The number of calls.
    ///   - pause: How many microseconds pass from call to call, so that what a call has left to the
    ///     server is done.
    ///   - body: Is given the number of the call.
    @MainActor static func median(
        _ count: Int, pause: UInt32 = 0, _ body: (Int) throws -> Void
    ) rethrows -> Double {
        var times: [Double] = []
        times.reserveCapacity(count)
        for index in 0..<count {
            let start = now
            try body(index)
            times.append(now - start)
            if pause > 0 { usleep(pause) }
        }
        return times.median
    }
}

extension [Double] {
    /// The value in the middle.
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(1, width - count))
    }
}
