import Duramen
import Foundation

/// Kills readers that hold a snapshot while a writer rewrites everything, and looks how large files
/// grow.
///
/// First they are killed at once: what a dead reader held must be used again. Then each lives for a
/// while, so that files grow, and the growth must end with it.
enum Readers {
    /// How long each reader of the second part lives, and stays dead: enough for several
    /// checkpoints.
    private static let rewritesPerHalf = 100
    /// Enough for a store of some MiB. What a store keeps for a few saves is little beside it.
    private static let entries = 400

    static func run(_ run: TrialRun) throws -> String {
        let rewrites = run.count ?? 1_000
        let kills = max(4, rewrites / 50)
        let folder = try run.newFolder("store")
        try run.makeStore(in: folder, ["transactions=\(entries)", "note-bytes=8000"])
        let writer = try run.start("rewrite", in: folder)
        // The sizes of the data files after each reader, in their order.
        var sizes: [[Int]] = []
        for _ in 0..<kills {
            try startReader(folder, run).finish(signal: SIGKILL)
            try rewrite(rewrites / kills, writer)
            sizes.append(currentSizes(folder, run))
            run.completedOne(of: 2 * kills)
        }
        let live = try liveBytes(folder, run)
        let dead = check(sizes, against: "dead readers", folder, run) { _ in live * 2 }
        sizes = []
        for _ in 0..<kills {
            let reader = try startReader(folder, run)
            try rewrite(rewritesPerHalf, writer)
            reader.finish(signal: SIGKILL)
            try rewrite(rewritesPerHalf, writer)
            sizes.append(currentSizes(folder, run))
            run.completedOne(of: 2 * kills)
        }
        let first = sizes
        let mortal = check(sizes, against: "mortal readers", folder, run) { place in
            (first.prefix(max(1, kills / 4)).map { $0[place] }.max() ?? 0) * 3 / 2
        }
        try rewrite(0, writer)
        writer.send("end")
        let end = writer.finish(before: .now + .seconds(30))
        if end != .exited(0) {
            run.violated("the writer: \(end) \(writer.remarks)", keeping: folder)
        }
        let answer = try Auditor(run.programs, run.kind).audit(folder)
        guard case .sound(let found, _, _) = answer, found == entries else {
            run.violated("\(answer)", keeping: folder)
            return "the store is not sound"
        }
        return
            "live \(live / 1_024) KiB; \(rewrites) rewrites beside \(kills) dead readers: \(dead); "
            + "\(kills * 2 * rewritesPerHalf) beside and after \(kills) that died: \(mortal); "
            + "\(run.violations.count) violations"
    }

    private static func startReader(_ folder: String, _ run: TrialRun) throws -> ChildProcess {
        let reader = try run.start("hold", in: folder)
        guard reader.readLine(beginning: ["holding"], before: .now + .seconds(10)) != nil else {
            throw TortureError("a reader failed: \(reader.remarks)")
        }
        return reader
    }

    private static func rewrite(_ count: Int, _ writer: ChildProcess) throws {
        writer.send("\(count)")
        guard writer.readLine(beginning: ["rewritten"], before: .now + .seconds(60)) != nil
        else { throw TortureError("the writer stopped: \(writer.remarks)") }
    }

    private static func currentSizes(_ folder: String, _ run: TrialRun) -> [Int] {
        run.kind.dataFiles.map { FileSystem.size(of: "\(folder)/\($0.name)") }
    }

    /// What the store takes when nothing is dead in it.
    private static func liveBytes(_ folder: String, _ run: TrialRun) throws -> Int {
        let copy = try run.newFolder("copy")
        try run.kind.type.copy(
            run.kind.description(in: folder), to: run.kind.description(in: copy))
        return run.kind.dataFiles.reduce(0) { $0 + FileSystem.size(of: "\(copy)/\($1.name)") }
    }

    /// Compares the sizes at the end with a limit for each file. A log has its own: that of the
    /// pages after which it is written back, and as much again.
    private static func check(
        _ sizes: [[Int]], against name: String, _ folder: String, _ run: TrialRun,
        limit: (Int) -> Int
    ) -> String {
        run.kind.dataFiles.enumerated().map { place, file in
            let end = sizes.last?[place] ?? 0
            let limit = max(limit(place), file.existsAfterKillOnly ? 2 * 1_000 * 4_120 : 0)
            if end > limit {
                run.violated(
                    "beside \(name), \(file.name) has \(end) bytes, more than \(limit)",
                    keeping: folder)
            }
            return "\(file.name) \(end / 1_024) KiB"
        }.joined(separator: ", ")
    }
}
