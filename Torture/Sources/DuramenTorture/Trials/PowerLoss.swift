import Duramen

/// Cuts the power after every call of a recorded run, and audits what the disk may hold then.
///
/// `.full` may forget nothing, `.relaxed` may forget but must be sound; `.unsafeNoSync` promises
/// nothing and shows that the images are bad enough.
enum PowerLoss {
    static func run(_ run: TrialRun) throws -> String {
        let images = run.count ?? 15_000
        var parts: [String] = []
        // A case begins with its durability.
        let chosen = run.only?.prefix { $0 != ":" }
        for durability in Durability.allCases
        where chosen.map({ $0 == durability.rawValue }) ?? true {
            parts.append(try hold(durability, images, run))
        }
        if parts.isEmpty { throw TortureError("no durability has this name") }
        return parts.joined(separator: "; ") + "; \(run.violations.count) violations"
    }

    private static func hold(
        _ durability: Durability, _ images: Int, _ run: TrialRun
    ) throws -> String {
        let tally = Tally()
        let recording = try record(durability, run)
        let calls = recording.events.count
        // Each call has the two ends, nothing and everything, and then chance. A slice leaves out
        // calls.
        let samples = max(4, (images + calls - 1) / calls)
        let step = max(1, calls * samples / images)
        try run.inLanes { lane in
            let auditor = Auditor(run.programs, run.kind, durability: durability)
            var disk = Disk()
            var state = BankRun()
            for (place, event) in recording.events.enumerated() {
                if case .said(let line) = event { state.note(line) }
                disk.apply(event)
                guard place / step % TrialRun.lanes == lane, place.isMultiple(of: step) else {
                    continue
                }
                for sample in 0..<samples {
                    let name = "\(durability.rawValue):\(place):\(sample)"
                    if let only = run.only, only != name, only != durability.rawValue { continue }
                    defer { run.completedOne(of: images * Durability.allCases.count) }
                    try audit(
                        disk, sample, name, place, durability, state, run, auditor, tally)
                }
            }
        }
        return ".\(durability.rawValue): \(tally["images"]) images of \(calls) calls, "
            + "\(tally["lost"]) forgot acknowledged saves, \(tally["unsound"]) unsound"
    }

    private static func record(_ durability: Durability, _ run: TrialRun) throws -> Recording {
        let folder = try run.newFolder("recorded")
        let path = "\(run.folder)/recording-\(durability.rawValue)"
        FileSystem.remove(path)
        let worker = try run.start(
            "bank", in: folder,
            [
                "transactions=40", "maintain-every=9", "reopen-after=22",
                "durability=\(durability.rawValue)", "seed=\(run.seed)",
            ], fault: Fault(prefix: folder, record: path))
        guard worker.finish(before: .now + .seconds(60)) == .exited(0),
            worker.remarks.last == "done"
        else { throw TortureError("the run to record failed: \(worker.remarks.suffix(3))") }
        return try Recording(path: path, folder: folder)
    }

    private static func audit(
        _ disk: Disk, _ sample: Int, _ name: String, _ place: Int, _ durability: Durability,
        _ state: BankRun, _ run: TrialRun, _ auditor: Auditor, _ tally: Tally
    ) throws {
        let folder = try run.newFolder("image-\(name)")
        defer { FileSystem.remove(folder) }
        var random = run.random(place * 1_000 + sample)
        // A disk that was nearly done lacks a sector here and there.
        let share = [0.5, 0.05, 0.95][Int.random(in: 0..<3, using: &random)]
        let luck: Disk.Luck = sample == 0 ? .nothing : sample == 1 ? .everything : .chance(share)
        try disk.write(to: folder, luck, random: &random) {
            run.kind.isVolatile($0)
        }
        // An audit changes the folder.
        let kept = "\(folder)-before"
        try FileSystem.copy(folder, to: kept)
        defer { FileSystem.remove(kept) }
        let answer = try auditor.audit(folder)
        tally.add("images")
        if case .sound(let entries, let attempts, _) = answer {
            let forgot =
                state.isFounded && entries < 0 || !state.savedAttempts.isSubset(of: attempts)
            guard forgot else { return }
            tally.add("lost")
            if durability == .full {
                run.violated("an acknowledged save is lost", case: name, keeping: kept)
            }
        } else {
            tally.add("unsound")
            if durability != .unsafeNoSync { run.violated("\(answer)", case: name, keeping: kept) }
        }
    }
}
