import Duramen

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Kills readers that hold a snapshot while a writer rewrites everything, and looks how large files grow.
enum Readers {
    /// Rewrites beside each reader, and again after its end: enough for several checkpoints.
    private static let perHalf = 25

    static func run(_ run: TrialRun) throws -> String {
        let kills = max(4, (run.count ?? 1_000) / perHalf / 2)
        let folder = try run.newFolder("store")
        let making = try run.programs.start(
            "bank", run.kind, ["folder=\(folder)", "transactions=12"])
        guard making.finish(before: .now + .seconds(10)) == .exited(0) else {
            throw TortureError("no store was made: \(making.remarks)")
        }
        let writer = try run.programs.start("rewrite", run.kind, ["folder=\(folder)"])
        func rewrite(_ count: Int) throws {
            writer.send("\(count)")
            guard writer.readLine(beginning: ["rewritten"], before: .now + .seconds(60)) != nil
            else { throw TortureError("the writer stopped: \(writer.remarks)") }
        }
        // The sizes of the data files after each reader, in their order.
        var sizes: [[Int]] = []
        for number in 0..<kills {
            let reader = try run.programs.start("hold", run.kind, ["folder=\(folder)"])
            guard reader.readLine(beginning: ["holding"], before: .now + .seconds(10)) != nil else {
                throw TortureError("a reader failed: \(reader.remarks)")
            }
            try rewrite(perHalf)
            reader.finish(signal: SIGKILL)
            try rewrite(perHalf)
            sizes.append(run.kind.dataFiles.map { FileSystem.size(of: "\(folder)/\($0.name)") })
            if number == kills - 1 { try rewrite(0) }
            run.completedOne(of: kills)
        }
        let live = try liveBytes(folder, run)
        writer.send("end")
        let end = writer.finish(before: .now + .seconds(30))
        if end != .exited(0) {
            run.violated("the writer: \(end) \(writer.remarks)", case: "all", keeping: folder)
        }
        let summary = check(sizes, live: live, folder, run)
        let answer = try Auditor(run.programs, run.kind).audit(folder)
        guard case .sound(12, _, _) = answer else {
            run.violated("\(answer)", case: "all", keeping: folder)
            return summary
        }
        return "\(perHalf * 2 * kills) rewrites, \(kills) readers killed: \(summary); "
            + "\(run.violations.count) violations"
    }

    /// What the store takes when nothing is dead in it.
    private static func liveBytes(_ folder: String, _ run: TrialRun) throws -> Int {
        let copy = try run.newFolder("copy")
        try run.kind.type.copy(
            run.kind.description(in: folder), to: run.kind.description(in: copy))
        return run.kind.dataFiles.reduce(0) { $0 + FileSystem.size(of: "\(copy)/\($1.name)") }
    }

    /// A data file stays below twice the live size; a log stays as it was after the first quarter.
    private static func check(
        _ sizes: [[Int]], live: Int, _ folder: String, _ run: TrialRun
    ) -> String {
        var parts = ["live \(live / 1_024) KiB"]
        for (place, file) in run.kind.dataFiles.enumerated() {
            let column = sizes.map { $0[place] }
            let end = column.last ?? 0
            let early = column.prefix(column.count / 4).max() ?? 0
            let limit = file.existsAfterKillOnly ? early * 3 / 2 : live * 2
            parts.append("\(file.name) \(end / 1_024) KiB (\(early / 1_024) KiB after a quarter)")
            if end > limit {
                run.violated(
                    "\(file.name) has \(end) bytes, more than \(limit)", case: "all",
                    keeping: folder)
            }
        }
        return parts.joined(separator: ", ")
    }
}
