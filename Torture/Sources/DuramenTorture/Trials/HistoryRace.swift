import DuramenTestKit
import Foundation

/// Three processes write to one store, killed at random and started again; three others follow its
/// history, and one shows a live list. Each follower sees every committed transaction once, in the
/// order of the commits.
enum HistoryRace {
    private static let writers = 3
    private static let patience = Duration.seconds(120)

    /// - Returns: What was seen. The count of the run is in seconds.
    static func run(_ run: TrialRun) throws -> String {
        let seconds = run.count ?? 60
        let folder = try run.newFolder("store")
        var random = run.random(0)
        try run.makeStore("journal", in: folder, ["action=make"])
        let followers = try [
            start("consume", run, folder, ["name=first"]),
            start("consume", run, folder, ["name=second"]),
            start("follow", run, folder), start("list", run, folder),
        ]
        for follower in followers
        where follower.readLine(beginning: ["ready"], before: .now + patience) == nil {
            throw TortureError("a follower is not ready: \(follower.remarks)")
        }
        var saved: Set<Int> = []
        var kills = 0
        var lives = 0
        func begin() throws -> ChildProcess {
            lives += 1
            return try start("write", run, folder, ["first-attempt=\(lives * 1_000_000)"])
        }
        var running = try (0..<writers).map { _ in try begin() }
        let end = ContinuousClock.now + .seconds(seconds)
        var nextKill = ContinuousClock.now + .milliseconds(300)
        while ContinuousClock.now < end {
            for writer in running { note(writer, until: .now + .milliseconds(20), &saved) }
            if ContinuousClock.now < nextKill { continue }
            let place = Int.random(in: 0..<writers, using: &random)
            try stop(running[place], run, folder, &saved)
            kills += 1
            running[place] = try begin()
            nextKill = .now + .milliseconds(Int.random(in: 50...1_200, using: &random))
        }
        for writer in running { try stop(writer, run, folder, &saved) }
        try run.makeStore("journal", in: folder, ["action=end"])

        var readings: [[Substring]] = []
        for (place, follower) in followers.enumerated() {
            let ended = follower.finish(before: .now + patience)
            let line = follower.remarks.last { $0.hasPrefix("read ") || $0.hasPrefix("listed ") }
            guard ended == .exited(0), follower.remarks.last == "done", let line else {
                run.violated(
                    "follower \(place) ended with \(ended): \(follower.remarks.joined(separator: "; "))",
                    keeping: folder)
                continue
            }
            if line.hasPrefix("read ") { readings.append(line.split(separator: " ")) }
        }
        let same = Set(readings.map { $0[1...3].joined(separator: " ") })
        if same.count > 1 {
            run.violated("the followers differ: \(same.sorted())", keeping: folder)
        }
        let audit = try audit(run, folder, saved)
        run.completedOne(of: 1)
        let delays = readings.map { "\($0[4])/\($0[5])" }.joined(separator: ", ")
        return
            "\(seconds) s, \(kills) kills of \(writers) writers, \(saved.count) acknowledged attempts; \(audit); "
            + "\(readings.count) followers saw the same \(readings.first?[1] ?? "0") transactions, each once and in order, "
            + "and a live list ended equal; milliseconds from a commit's beginning to each follower, median/95 %: \(delays)"
    }

    private static func start(
        _ action: String, _ run: TrialRun, _ folder: String, _ more: [String] = []
    ) throws -> ChildProcess {
        try run.start("journal", in: folder, ["action=\(action)"] + more)
    }

    /// Takes what a writer says.
    private static func note(
        _ writer: ChildProcess, until deadline: ContinuousClock.Instant, _ saved: inout Set<Int>
    ) {
        while let line = writer.readLine(beginning: ["saved"], before: deadline) {
            if let attempt = Int(line.dropFirst(6)) { saved.insert(attempt) }
        }
    }

    /// Kills a writer, which must not have ended before.
    private static func stop(
        _ writer: ChildProcess, _ run: TrialRun, _ folder: String, _ saved: inout Set<Int>
    ) throws {
        let end = writer.finish(signal: SIGKILL)
        note(writer, until: .now + .seconds(30), &saved)
        let complaints = writer.remarks.filter { $0.hasPrefix("failed") || $0.hasPrefix("wrong") }
        if end != .signalled(SIGKILL) || !complaints.isEmpty {
            run.violated("a writer ended with \(end): \(complaints)", keeping: folder)
        }
    }

    private static func audit(
        _ run: TrialRun, _ folder: String, _ saved: Set<Int>
    ) throws -> String {
        let file = "\(folder)/saved.txt"
        try saved.map { "\($0)\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
        let auditor = try start("audit", run, folder, ["saved=\(file)"])
        let end = auditor.finish(before: .now + patience)
        let sound = auditor.remarks.first { $0.hasPrefix("sound ") }
        guard end == .exited(0), let words = sound?.split(separator: " "), words.count == 3 else {
            run.violated("the audit: \(auditor.remarks.joined(separator: "; "))", keeping: folder)
            return "unsound"
        }
        return "\(words[1]) entries, all told of by \(words[2]) transactions, whole each"
    }
}
