import Foundation

/// Rows of hundreds of megabytes: they are saved, fetched, verified and converted in bounded
/// memory, and what an engine cannot hold is refused.
enum LargeRows {
    /// A blob to save.
    private struct Case {
        var megabytes: Int
        /// Whether every kind of store holds it.
        var fits = true
    }

    static func run(_ run: TrialRun) throws -> String {
        let largest = run.count ?? 600
        var cases = [Case(megabytes: 1), Case(megabytes: min(64, largest))]
        cases.append(Case(megabytes: largest))
        // More than SQLite takes, in a trial of full size.
        if largest >= 600 { cases.append(Case(megabytes: 1_100, fits: false)) }
        if let only = run.only { cases = cases.filter { "\($0.megabytes)" == only } }
        var seen: [String] = []
        for item in cases {
            seen.append("\(item.megabytes) MB: \(try hold(item, run))")
            run.completedOne(of: cases.count)
        }
        return seen.joined(separator: "; ") + "; \(run.violations.count) violations"
    }

    private static func hold(_ item: Case, _ run: TrialRun) throws -> String {
        let folder = try run.newFolder("large-\(item.megabytes)")
        defer { FileSystem.remove(folder) }
        let bytes = item.megabytes * 1_000_000
        let worker = try run.start("large", in: folder, ["bytes=\(bytes)"])
        var answers: [String] = []
        let deadline = ContinuousClock.now + .seconds(300)
        while let line = worker.readLine(beginning: ["save", "read", "refused"], before: deadline) {
            answers.append(line)
        }
        let end = worker.finish(before: deadline)
        let kibibytes = answers.first.flatMap { Int($0.dropFirst("save ".count)) }
        // One copy of the blob, which the engine writes to its file, and what the save itself
        // takes.
        let limit = (bytes + (16 << 20)) >> 10
        let isHeld = answers.count == 2 && answers[1] == "read" && kibibytes ?? .max <= limit
        let isRefused = !item.fits && answers == ["refused tooLarge"]
        if end != .exited(0) || !isHeld && !isRefused {
            run.violated(
                "\(answers), \(end), \(worker.remarks); a save may take \(limit) KiB",
                case: "\(item.megabytes)", keeping: nil)
        }
        return kibibytes.map { "\($0 >> 10) MiB more while it was saved" }
            ?? answers.joined(separator: ", ")
    }
}
