import Foundation

/// Kills a process that saves, at any moment, and audits the store after each kill.
enum KillSave {
    static func run(_ run: TrialRun) throws -> String {
        let kills = run.count ?? 300
        let tally = Tally()
        let lanes = min(TrialRun.lanes, max(1, kills))
        try run.inLanes(lanes) { lane in
            let auditor = Auditor(run.programs, run.kind)
            let folder = try run.newFolder("store-\(lane)")
            for number in stride(from: lane, to: kills, by: lanes) {
                try kill(number, in: folder, run, auditor, tally)
                run.completedOne(of: kills)
            }
        }
        return "\(kills) kills, \(tally["inside"]) of them with a save begun and not answered; "
            + "\(tally["saved"]) acknowledged saves, all of them there; slowest open after a kill "
            + "\(tally["open"] / 1_000) ms; \(run.violations.count) violations"
    }

    private static func kill(
        _ number: Int, in folder: String, _ run: TrialRun, _ auditor: Auditor, _ tally: Tally
    ) throws {
        var random = run.random(number)
        let worker = try run.start(
            "bank", in: folder,
            [
                "transactions=1000000", "maintain-every=15",
                "first-attempt=\((number + 1) * 1_000_000)", "seed=\(number)",
            ])
        let deadline = ContinuousClock.now + .seconds(30)
        var state = BankRun()
        // Some are killed while they open the store or make the accounts.
        for _ in 0..<Int.random(in: 0...80, using: &random) {
            guard let line = worker.readLine(before: deadline) else { break }
            state.note(line)
        }
        // The moment between two lines is random too.
        usleep(UInt32.random(in: 0...1_500, using: &random))
        let end = worker.finish(signal: SIGKILL)
        while let line = worker.readLine(before: deadline) { state.note(line) }
        tally.add("saved", state.savedAttempts.count)
        if state.openAttempt != nil { tally.add("inside") }
        let answer = try auditor.audit(folder)
        if case .sound(_, _, let microseconds) = answer { tally.raise("open", to: microseconds) }
        for problem in [
            end == .signalled(SIGKILL) ? nil : "the worker ended by itself: \(end)",
            state.wrong.first, state.contradiction(to: answer),
        ].compactMap({ $0 }) {
            run.violated("after kill \(number), \(problem)", keeping: folder)
        }
    }
}
