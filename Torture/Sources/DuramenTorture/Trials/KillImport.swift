import Foundation

/// Kills the example `BatchImport` after a random chunk, over and over, until an import is
/// complete.
enum KillImport {
    static let chunks = 16
    static let stanzasPerChunk = 12

    /// A store that one lane imports into, over several runs that are killed.
    private struct Import {
        var folder: String
        /// Whole chunks that the store had after the last run.
        var chunks = 0
        var kills = 0
    }

    static func run(_ run: TrialRun) throws -> String {
        guard run.programs.batchImport != nil else {
            throw TortureError("the example BatchImport is not there; run Scripts/torture")
        }
        let kills = run.count ?? 1_000
        let tally = Tally()
        let reference = try references(run)
        try run.inLanes { lane in
            let digester = try run.programs.start("packages", run.kind, [])
            var state = Import(folder: try run.newFolder("store-\(lane)"))
            for number in stride(from: lane, to: kills, by: TrialRun.lanes) {
                try kill(number, &state, reference, digester, run, tally)
                // Every fifth kill at the latest is followed by a run to the end.
                if state.chunks == chunks || state.kills == 5 {
                    try complete(number, state, reference, digester, run, tally)
                    state = Import(folder: try run.newFolder("store-\(lane)"))
                }
                run.completedOne(of: kills)
            }
        }
        let share = tally["inside"] * 100 / max(1, kills)
        if share < 80 {
            run.violated("only \(share) % of the kills were inside", keeping: nil)
        }
        return
            "\(kills) kills, \(share) % inside the import; \(tally["completed"]) imports taken up "
            + "to the end, equal to an undisturbed one; whole chunks only; slowest open after a kill "
            + "\(tally["open"] / 1_000) ms; \(run.violations.count) violations"
    }

    // MARK: - Imports

    private static func start(_ input: String, _ folder: String, _ run: TrialRun) throws
        -> ChildProcess
    {
        try ChildProcess(
            run.programs.batchImport ?? "",
            [
                "--input", input, "--store", "\(run.kind.name):\(run.kind.path(in: folder))",
                "--chunk", "\(stanzasPerChunk)", "--acknowledge",
            ])
    }

    /// What a store holds after each number of chunks, by undisturbed imports of the file's
    /// beginnings.
    private static func references(_ run: TrialRun) throws -> [String] {
        let digester = try run.programs.start("packages", run.kind, [])
        return try (0...chunks).map { count in
            let folder = try run.newFolder("reference-\(count)")
            defer { FileSystem.remove(folder) }
            let input = input(count, run)
            try FileSystem.write(
                Array(PackageFile.text(count * stanzasPerChunk, seed: run.seed).utf8), to: input)
            let process = try start(input, folder, run)
            let end = process.finish(before: .now + .seconds(60))
            guard end == .exited(0), let found = try digest(folder, digester),
                found.listed == count * stanzasPerChunk
            else {
                throw TortureError("an undisturbed import failed: \(process.remarks.suffix(3))")
            }
            return found.digest
        }
    }

    private static func input(_ chunks: Int, _ run: TrialRun) -> String {
        "\(run.folder)/packages-\(chunks)"
    }

    private static func kill(
        _ number: Int, _ state: inout Import, _ reference: [String], _ digester: ChildProcess,
        _ run: TrialRun, _ tally: Tally
    ) throws {
        var random = run.random(number)
        // Most die while they write, some while they walk through what is there already.
        let first = Int.random(in: 0..<4, using: &random) == 0 ? 0 : state.chunks
        let target = Int.random(in: first..<chunks, using: &random)
        let process = try start(input(chunks, run), state.folder, run)
        let deadline = ContinuousClock.now + .seconds(60)
        var acknowledged = 0
        func note(_ line: String) {
            guard let count = Int(line.dropFirst("saved ".count)) else { return }
            acknowledged = count / stanzasPerChunk
        }
        var hasBegun = false
        while !hasBegun || acknowledged < target,
            let line = process.readLine(beginning: ["Importing", "saved"], before: deadline)
        {
            hasBegun = true
            note(line)
        }
        usleep(UInt32.random(in: 0...6_000, using: &random))
        let end = process.finish(signal: SIGKILL)
        while let line = process.readLine(beginning: ["saved"], before: deadline) { note(line) }
        if end == .signalled(SIGKILL), acknowledged < chunks { tally.add("inside") }
        func violated(_ text: String) {
            run.violated("after kill \(number), \(text)", keeping: state.folder)
        }
        if end != .signalled(SIGKILL), end != .exited(0) {
            violated("the import ended with \(end): \(process.remarks.suffix(3))")
        }
        state.kills += 1
        guard let found = try digest(state.folder, digester) else {
            return violated("the store cannot be read: \(digester.remarks.suffix(3))")
        }
        tally.raise("open", to: found.microseconds)
        let least = max(state.chunks, acknowledged)
        let (whole, rest) = found.listed.quotientAndRemainder(dividingBy: stanzasPerChunk)
        if rest != 0 {
            violated("\(found.listed) packages are half a chunk")
        } else if whole < least || whole > max(state.chunks, acknowledged + 1) {
            violated("\(whole) chunks are there, \(least) were acknowledged")
        } else if found.digest != reference[whole] {
            violated("the contents are not those of an undisturbed import of \(whole) chunks")
        }
        state.chunks = whole
    }

    private static func complete(
        _ number: Int, _ state: Import, _ reference: [String], _ digester: ChildProcess,
        _ run: TrialRun, _ tally: Tally
    ) throws {
        let process = try start(input(chunks, run), state.folder, run)
        let end = process.finish(before: .now + .seconds(60))
        let found = try digest(state.folder, digester)
        if end == .exited(0), let found, found.digest == reference[chunks] {
            tally.add("completed")
        } else {
            run.violated(
                "the next import ended with \(end): \(process.remarks.suffix(3))",
                case: "\(number)",
                keeping: state.folder)
        }
    }

    private static func digest(
        _ folder: String, _ digester: ChildProcess
    ) throws -> (listed: Int, digest: String, microseconds: Int)? {
        digester.send(folder)
        let line = digester.readLine(
            beginning: ["digest", "refused", "wrong"], before: .now + .seconds(30))
        let words = line?.split(separator: " ").map(String.init) ?? []
        guard words.first == "digest", words.count == 4, let listed = Int(words[1]),
            let microseconds = Int(words[3])
        else {
            if let line { throw TortureError("a digest of \(folder) failed: \(line)") }
            return nil
        }
        return (listed, words[2], microseconds)
    }
}
