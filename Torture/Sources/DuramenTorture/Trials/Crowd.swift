/// Many processes change one object, and each that comes too late refreshes it and tries again: all
/// get their saves through, and none needs many more tries than the others.
enum Crowd {
    private static let saves = 12
    private static let limit = Duration.seconds(3_600)

    static func run(_ run: TrialRun) throws -> String {
        let processes = run.count ?? 64
        let folder = try run.newFolder("store")
        let deadline = ContinuousClock.now + limit
        _ = try CounterRace.finish(
            CounterRace.start("make", run, folder, ["counters=1"]), before: deadline)
        let writers = try (0..<processes).map { _ in
            try CounterRace.start(
                "increment", run, folder, ["increments=\(saves)", "counters=1"])
        }
        for writer in writers where writer.readLine(beginning: ["ready"], before: deadline) == nil {
            throw TortureError("a process is not ready: \(writer.remarks.joined(separator: "; "))")
        }
        for writer in writers { writer.send("go") }
        var tries: [Int] = []
        var busy = 0
        for (place, writer) in writers.enumerated() {
            do {
                let lines = try CounterRace.finish(writer, before: deadline)
                busy += lines["busy"]?.first ?? 0
                tries.append(saves + (lines["conflicts"]?.first ?? 0))
            } catch {
                run.violated("process \(place): \(error)", case: "0", keeping: folder)
            }
            run.completedOne(of: processes)
        }
        tries.sort()
        let read = try CounterRace.finish(
            CounterRace.start("read", run, folder, ["counters=1"]), before: deadline)
        let (median, most) = (tries[tries.count / 2], tries[tries.count - 1])
        let complaints = [
            read["values"] == [processes * saves]
                ? nil
                : "the counter says \(read["values"] ?? []) after \(processes * saves) increments",
            most <= 8 * median
                ? nil : "one process needed \(most) tries, and half of them \(median)",
            run.kind.engineComplaint(run.kind.path(in: folder)),
        ]
        for complaint in complaints.compactMap({ $0 }) {
            run.violated(complaint, case: "0", keeping: folder)
        }
        return "\(processes) processes, \(saves) saves each of one object: all came through; "
            + "\(tries[0]) tries at least, \(median) in the middle, \(most) at most; \(busy) time-outs"
    }
}
