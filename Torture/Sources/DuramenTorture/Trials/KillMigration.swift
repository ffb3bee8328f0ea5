import Foundation

/// Kills a process that changes the model of a store, at any moment. Afterwards the store is of the
/// one version or of the other, with all that it held.
struct KillMigration {
    /// How the model is changed.
    enum Way: Sendable {
        case inferred
        /// By a stage, on a copy that takes the store's place.
        case staged

        /// What the worker is told.
        var arguments: [String] { self == .staged ? ["stages=1"] : [] }
    }

    private let way: Way

    /// How long a process may take.
    static let limit = Duration.seconds(60)

    init(_ way: Way) { self.way = way }

    @Sendable func run(_ run: TrialRun) throws -> String {
        let kills = run.count ?? 100
        let tally = Tally()
        let template = try run.newFolder("template")
        try run.makeStore("migrate", in: template, ["step=make"])
        let expected = try Self.audit(template, run)
        let longest = try microsecondsToMigrate(template, run)
        let lanes = min(TrialRun.lanes, max(1, kills))
        try run.inLanes(lanes) { lane in
            for number in stride(from: lane, to: kills, by: lanes) {
                let folder = "\(run.folder)/migration-\(number)"
                try FileSystem.copy(template, to: folder)
                try kill(number, in: folder, run, longest, expected, tally)
                run.completedOne(of: kills)
            }
        }
        return
            "\(kills) kills of a change that takes \(longest / 1_000) ms: \(tally["version 1"]) stores were as "
            + "before, \(tally["version 2"]) were changed; \(run.violations.count) violations"
    }

    /// The audit's line without the version.
    static func audit(_ folder: String, _ run: TrialRun) throws -> (Substring, String) {
        let worker = try run.start("migrate", in: folder, ["step=audit"])
        let end = worker.finish(before: .now + .seconds(60))
        guard end == .exited(0), let line = worker.remarks.last, line.hasPrefix("version ") else {
            throw TortureError("no version of the store in \(folder) opens: \(worker.remarks)")
        }
        let words = line.split(separator: " ", maxSplits: 2)
        return (words[1], String(words[2]))
    }

    private func microsecondsToMigrate(
        _ template: String, _ run: TrialRun
    ) throws -> UInt32 {
        let folder = "\(run.folder)/whole"
        try FileSystem.copy(template, to: folder)
        let worker = try run.start("migrate", in: folder, ["step=migrate"] + way.arguments)
        guard worker.readLine(before: .now + .seconds(60)) == "begin" else {
            throw TortureError("the store is not migrated: \(worker.remarks)")
        }
        let start = ContinuousClock.now
        guard worker.readLine(before: .now + .seconds(60)) == "migrated" else {
            throw TortureError("the store is not migrated: \(worker.remarks)")
        }
        let duration = start.duration(to: .now)
        _ = worker.finish(before: .now + .seconds(60))
        return UInt32(max(1_000, duration / .microseconds(1)))
    }

    private func kill(
        _ number: Int, in folder: String, _ run: TrialRun, _ longest: UInt32,
        _ expected: (Substring, String), _ tally: Tally
    ) throws {
        var random = run.random(number)
        let worker = try run.start("migrate", in: folder, ["step=migrate"] + way.arguments)
        _ = worker.readLine(before: .now + .seconds(60))
        usleep(UInt32.random(in: 0...longest + longest / 4, using: &random))
        _ = worker.finish(signal: SIGKILL)
        do {
            let (version, found) = try Self.audit(folder, run)
            tally.add("version \(version)")
            if found != expected.1 {
                run.violated(
                    "after kill \(number), version \(version) holds \(found), not \(expected.1)",
                    keeping: folder)
                return
            }
            if let left = FileSystem.leftCopy(in: folder) {
                run.violated(
                    "kill \(number) left '\(left)', which the next opening did not take away",
                    keeping: folder)
                return
            }
        } catch {
            run.violated("after kill \(number), \(error)", keeping: folder)
            return
        }
        FileSystem.remove(folder)
    }
}
