import Foundation

/// Stops a process in the middle of a save, while it holds the write lock, and looks what others
/// can do.
enum Stopped {
    /// What a writer waits for others.
    private static let timeoutMilliseconds = 500
    /// By when everybody must have answered. SQLite tries for 10 s where a process was stopped in
    /// the moment in which it made the log's index, whatever the time-out.
    private static let limit = Duration.seconds(12)

    static func run(_ run: TrialRun) throws -> String {
        let tally = Tally()
        let count = run.count ?? 25
        let cases = run.numbers(count)
        try run.forEach(of: cases) { number, auditor in try hold(number, run, auditor, tally) }
        if run.only == nil, tally["busy"] == 0 {
            run.violated("no writer met a held lock", keeping: nil)
        }
        return "\(cases.count) processes stopped while they wrote; another writer got .storeBusy "
            + "\(tally["busy"]) times, after at most \(tally["milliseconds"]) ms with a time-out of "
            + "\(timeoutMilliseconds) ms (\(tally["late"]) later than four of these), and saved \(tally["saved"]) times; readers went on "
            + "\(tally["read"]) times, and got .storeBusy as they opened \(tally["readBusy"]) times; \(run.violations.count) violations"
    }

    private static func hold(
        _ number: Int, _ run: TrialRun, _ auditor: Auditor, _ tally: Tally
    ) throws {
        let folder = try run.newFolder("store-\(number)")
        var random = run.random(number)
        try run.makeStore(in: folder, ["transactions=3"])
        func violated(_ text: String) {
            run.violated(text, case: "\(number)", keeping: folder)
        }
        let holder = try run.start(
            "bank", in: folder, ["transactions=12", "first-attempt=1000"],
            fault: Fault(
                prefix: "\(folder)/", operations: [.write, .sync],
                call: Int.random(in: 1...100, using: &random), mode: .stop))
        guard holder.waitUntilStopped() else {
            throw TortureError("the process was not stopped: \(holder.remarks)")
        }
        try write(in: folder, run, tally, violated)
        switch try auditor.audit(folder, goesOn: false) {
        case .sound: tally.add("read")
        case .refused("storeBusy"): tally.add("readBusy")
        case let answer: violated("a reader beside a stopped writer: \(answer)")
        }
        holder.signal(SIGCONT)
        var state = BankRun()
        let end = holder.finish(before: .now + limit)
        holder.remarks.forEach { state.note($0) }
        if end != .exited(0) || !state.isDone || !state.wrong.isEmpty {
            violated("the continued process ended with \(end): \(holder.remarks.suffix(3))")
        }
        if let problem = state.contradiction(to: try auditor.audit(folder)) { violated(problem) }
        FileSystem.remove(folder)
    }

    /// Lets another process save once.
    private static func write(
        in folder: String, _ run: TrialRun, _ tally: Tally, _ violated: (String) -> Void
    ) throws {
        let start = ContinuousClock.now
        let writer = try run.start(
            "bank", in: folder,
            [
                "transactions=1", "first-attempt=2000",
                "timeout-milliseconds=\(timeoutMilliseconds)",
            ])
        let end = writer.finish(before: start + limit)
        var state = BankRun()
        writer.remarks.forEach { state.note($0) }
        let milliseconds = Int(start.duration(to: .now) / .milliseconds(1))
        tally.raise("milliseconds", to: milliseconds)
        if milliseconds > 4 * timeoutMilliseconds { tally.add("late") }
        if end == .exited(0), state.codes.keys.allSatisfy({ $0 == "storeBusy" }),
            state.wrong.isEmpty
        {
            tally.add(state.codes.isEmpty ? "saved" : "busy")
        } else {
            violated("a writer beside a stopped one ended with \(end): \(writer.remarks)")
        }
    }
}
