import Foundation

/// Several processes open a store with a later version of its model at once, and another one saves
/// with the earlier version. The model is changed once, all of them open the store, and what was
/// saved before is there.
enum MigrationRace {
    private static let processes = 4

    static func run(_ run: TrialRun) throws -> String {
        let rounds = run.count ?? 50
        let tally = Tally()
        let template = try run.newFolder("template")
        try run.makeStore("migrate", in: template, ["step=make", "rows=500"])
        let (_, expected) = try KillMigration.audit(template, run)
        for number in run.numbers(rounds) {
            let folder = "\(run.folder)/race-\(number)"
            FileSystem.remove(folder)
            try FileSystem.copy(template, to: folder)
            try race(number, in: folder, expected, run, tally)
            run.completedOne(of: rounds)
        }
        return
            "\(rounds) times \(processes) processes opened a store at once: \(tally["opened"]) got it, "
            + "\(tally["written"]) objects were saved meanwhile with the earlier version; "
            + "\(run.violations.count) violations"
    }

    private static func race(
        _ number: Int, in folder: String, _ expected: String, _ run: TrialRun, _ tally: Tally
    ) throws {
        let deadline = ContinuousClock.now + KillMigration.limit
        let racers = try (0..<processes).map { _ in
            try run.start(
                "migrate", in: folder,
                ["step=migrate", "waits=1", "backup=always"])
        }
        for racer in racers where racer.readLine(beginning: ["ready"], before: deadline) == nil {
            throw TortureError("a process is not ready: \(racer.remarks)")
        }
        let writer = try run.start("migrate", in: folder, ["step=write"])
        _ = writer.readLine(beginning: ["writing"], before: deadline)
        var random = run.random(number)
        usleep(UInt32.random(in: 0...40_000, using: &random))
        for racer in racers { racer.send("go") }
        func violated(_ text: String) {
            run.violated(text, case: "\(number)", keeping: folder)
        }
        for racer in racers {
            let end = racer.finish(before: deadline)
            if end == .exited(0), racer.remarks.last == "done" {
                tally.add("opened")
            } else {
                violated("a process did not get the store: \(end), \(racer.remarks.suffix(2))")
            }
        }
        let end = writer.finish(before: deadline)
        let written = writer.remarks.last { $0.hasPrefix("written ") }
            .flatMap { Int($0.dropFirst("written ".count)) }
        guard end == .exited(0), let written, writer.remarks.last == "failed storeMigrated" else {
            return violated("the writer ended with \(end): \(writer.remarks.suffix(2))")
        }
        tally.add("written", written)
        let (version, found) = try KillMigration.audit(folder, run)
        // Each of its objects has a name of four bytes and the number 1, and is in no group.
        var sums = expected.split(separator: " ").compactMap { Int($0) }
        for (place, step) in [1, 4, 1].enumerated() { sums[place] += written * step }
        let wanted = sums.map(String.init).joined(separator: " ")
        if version != "2" || found != wanted {
            violated("version \(version) holds \(found), not \(wanted)")
        }
        for word in ["changes", "copies"] where try count(word, folder, run) != 1 {
            violated("there is not one of \(word)")
        }
        FileSystem.remove(folder)
    }

    /// A number that an audit says.
    static func count(_ word: String, _ folder: String, _ run: TrialRun) throws -> Int? {
        let worker = try run.start("migrate", in: folder, ["step=audit"])
        _ = worker.finish(before: .now + KillMigration.limit)
        return worker.remarks.last { $0.hasPrefix(word + " ") }
            .flatMap { Int($0.dropFirst(word.count + 1)) }
    }
}
