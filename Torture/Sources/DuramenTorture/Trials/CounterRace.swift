/// Several processes increment the same few counters, each through a context that it keeps: no
/// increment is lost and none counts twice.
enum CounterRace {
    private static let processes = 4
    private static let limit = Duration.seconds(3_600)

    static func run(_ run: TrialRun) throws -> String {
        let increments = run.count ?? 5_000
        let folder = try run.newFolder("store")
        let deadline = ContinuousClock.now + limit
        _ = try finish(start("make", run, folder), before: deadline)

        let racers = try (0..<processes).map { place in
            try start(
                "increment", run, folder,
                ["increments=\(increments)", "seed=\(run.seed &+ UInt64(place))"])
        }
        for racer in racers where racer.readLine(beginning: ["ready"], before: deadline) == nil {
            throw TortureError("a process is not ready: \(racer.remarks.joined(separator: "; "))")
        }
        let begin = ContinuousClock.now
        for racer in racers { racer.send("go") }
        var expected = Array(repeating: 0, count: Counters.count)
        var (conflicts, most, busy) = (0, 0, 0)
        for (place, racer) in racers.enumerated() {
            do {
                let lines = try finish(racer, before: deadline)
                for (number, count) in (lines["counted"] ?? []).enumerated() {
                    expected[number] += count
                }
                conflicts += lines["conflicts"]?.first ?? 0
                most = max(most, lines["conflicts"]?.last ?? 0)
                busy += lines["busy"]?.first ?? 0
            } catch {
                run.violated("process \(place): \(error)", case: "0", keeping: folder)
            }
            run.completedOne(of: processes)
        }
        let seconds = begin.duration(to: .now) / .seconds(1)
        let found = try finish(start("read", run, folder), before: deadline)["values"] ?? []
        let total = found.reduce(0, +)
        let complaints = [
            found == expected && total == processes * increments
                ? nil : "the counters say \(found), and the processes counted \(expected)",
            // With a few increments for each, nobody need meet anybody.
            conflicts > 0 || increments < Counters.count
                ? nil : "no save was refused, although everybody began with the same values",
            run.kind.engineComplaint(run.kind.path(in: folder)),
        ]
        for complaint in complaints.compactMap({ $0 }) {
            run.violated(complaint, case: "0", keeping: folder)
        }
        let saves = total + conflicts
        return
            "\(processes) processes, \(increments) increments each of \(Counters.count) counters: "
            + "sum \(total) of \(processes * increments); \(conflicts) of \(saves) saves refused "
            + "(\(conflicts * 100 / max(1, saves)) %), \(most) of one increment at most; "
            + "\(busy) time-outs; \(Int(Double(total) / seconds)) increments a second"
    }

    static func start(
        _ action: String, _ run: TrialRun, _ folder: String, _ more: [String] = []
    ) throws -> ChildProcess {
        try run.start("counters", in: folder, ["action=\(action)"] + more)
    }

    /// Waits for the end of a process.
    ///
    /// - Returns: The numbers that it said, by the word before them.
    static func finish(
        _ process: ChildProcess, before deadline: ContinuousClock.Instant
    ) throws -> [String: [Int]] {
        let end = process.finish(before: deadline)
        var lines: [String: [Int]] = [:]
        for line in process.remarks {
            let words = line.split(separator: " ")
            lines[String(words.first ?? "")] = words.dropFirst().compactMap { Int($0) }
        }
        guard end == .exited(0), lines["done"] != nil else {
            throw TortureError("ended with \(end): \(process.remarks.joined(separator: "; "))")
        }
        return lines
    }
}
