import Duramen
import DuramenTestKit
import Foundation
import Synchronization

/// Damages copies of a store's files, one way each, and lets another process open, read and save.
///
/// Where a file was closed in order and keeps its size, it rots: identity and time of change stay
/// too, so that whatever a store notes about its file still says that nobody changed it.
enum Damage {
    /// A copy to damage.
    private struct Case: Sendable {
        var file: DataFile
        var number: Int

        var name: String { "\(file.name):\(number)" }
    }

    static func run(_ run: TrialRun) throws -> String {
        let count = run.count ?? 3_000
        var originals: [String: String] = [:]
        var originalAttempts: [String: Set<Int>] = [:]
        for file in run.kind.dataFiles {
            let (folder, attempts) = try makeOriginal(of: file, run)
            originals[file.name] = folder
            originalAttempts[file.name] = attempts
        }
        let tally = Tally()
        var cases = run.kind.dataFiles.flatMap { file in
            (0..<count).map { Case(file: file, number: $0) }
        }
        if let only = run.only { cases = cases.filter { $0.name == only } }
        let (folders, attempts) = (originals, originalAttempts)
        try run.forEach(of: cases) { item, auditor in
            guard let original = folders[item.file.name] else { return }
            try hold(item, original, attempts[item.file.name] ?? [], run, auditor, tally)
        }
        let parts = run.kind.dataFiles.map { file in
            "\(file.name): \(count) copies, \(tally["same " + file.name]) answered as before, "
                + "\(tally["earlier " + file.name]) as an earlier save left it, "
                + "\(tally["wrong " + file.name]) with damaged values, \(tally["rotten " + file.name]) "
                + "looked unchanged, refused with "
                + tally.list("code \(file.name) ")
        }
        return parts.joined(separator: "; ")
            + "; 0 deaths allowed, \(run.violations.count) violations"
    }

    /// Makes a store whose file is worth damaging: closed, or left by a killed process.
    private static func makeOriginal(
        of file: DataFile, _ run: TrialRun
    ) throws -> (folder: String, attempts: Set<Int>) {
        let folder = try run.newFolder("original-\(file.name)")
        let transactions = file.existsAfterKillOnly ? 1_000_000 : 60
        let worker = try run.start("bank", in: folder, ["transactions=\(transactions)"])
        var state = BankRun()
        let deadline = ContinuousClock.now + .seconds(30)
        while !file.existsAfterKillOnly || state.savedEntry < 60,
            let line = worker.readLine(before: deadline)
        {
            state.note(line)
        }
        let end =
            file.existsAfterKillOnly
            ? worker.finish(signal: SIGKILL) : worker.finish(before: deadline)
        guard end == (file.existsAfterKillOnly ? .signalled(SIGKILL) : .exited(0)),
            FileSystem.size(of: "\(folder)/\(file.name)") > 0
        else { throw TortureError("no original with \(file.name): \(end)") }
        return (folder, state.savedAttempts)
    }

    private static func hold(
        _ item: Case, _ original: String, _ attempts: Set<Int>, _ run: TrialRun,
        _ auditor: Auditor, _ tally: Tally
    ) throws {
        let folder = try run.newFolder("copy-\(item.name)")
        defer { FileSystem.remove(folder) }
        var random = run.random(item.number)
        for name in FileSystem.files(in: original)
        where !run.kind.isVolatile(name) {
            let target = "\(folder)/\(name)"
            try FileSystem.makeFolder((target as NSString).deletingLastPathComponent)
            try FileSystem.write(FileSystem.bytes(of: "\(original)/\(name)"), to: target)
        }
        let target = "\(folder)/\(item.file.name)"
        let mark = item.file.existsAfterKillOnly ? nil : run.kind.mark(in: folder)
        if let mark { try leaveMark(in: folder, run, mark) }
        let sound = try FileSystem.bytes(of: target)
        var bytes = sound
        damage(&bytes, &random)
        let isRotten = mark != nil && bytes.count == sound.count
        if isRotten {
            try FileSystem.rot(target, to: bytes)
        } else {
            try FileSystem.write(bytes, to: target)
        }
        if isRotten { tally.add("rotten \(item.file.name)") }
        // An audit changes the folder.
        let kept = "\(folder)-before"
        try FileSystem.copy(folder, to: kept)
        defer { FileSystem.remove(kept) }
        switch try auditor.audit(folder) {
        case .sound(_, let found, _):
            let isSame = attempts.isSubset(of: found)
            tally.add((isSame ? "same " : "earlier ") + item.file.name)
            if isRotten, !isSame {
                run.violated("an earlier state came back", case: item.name, keeping: kept)
            }
        case .unsound(let text):
            tally.add("wrong \(item.file.name)")
            if run.kind.checksValues { run.violated(text, case: item.name, keeping: kept) }
        case .refused(let code): tally.add("code \(item.file.name) .\(code)")
        case let answer: run.violated("\(answer)", case: item.name, keeping: kept)
        }
    }

    private static let opening = Mutex(())

    /// Has the store note what its file looks like, which its last user does.
    private static func leaveMark(in folder: String, _ run: TrialRun, _ mark: String) throws {
        // Copies of one store have one identity, so a process has one of them open at a time.
        try opening.withLock { _ in
            try run.kind.description(in: folder).open(model: BankModel.make()).close()
        }
        guard FileSystem.exists(mark) else { throw TortureError("no mark is at \(mark)") }
    }

    /// Damages bytes in one of eight ways.
    private static func damage(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        let pageBytes = 4_096
        let pages = max(1, bytes.count / pageBytes)
        func page() -> Range<Int> {
            let start = Int.random(in: 0..<pages, using: &random) * pageBytes
            return start..<min(start + pageBytes, bytes.count)
        }
        func noise(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            bytes[Int.random(in: bytes.indices, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
        case 1:
            for _ in 0..<8 {
                bytes[Int.random(in: bytes.indices, using: &random)] = noise(1)[0]
            }
        case 2:
            // Where files say what they are.
            bytes[Int.random(in: 0..<min(200, bytes.count), using: &random)] = noise(1)[0]
        case 3:
            let page = page()
            bytes.replaceSubrange(page, with: repeatElement(0, count: page.count))
        case 4:
            let page = page()
            bytes.replaceSubrange(page, with: noise(page.count))
        case 5:
            let (first, second) = (page(), page())
            guard first.count == second.count else { return }
            let moved = Array(bytes[first])
            bytes.replaceSubrange(first, with: Array(bytes[second]))
            bytes.replaceSubrange(second, with: moved)
        case 6: bytes.removeSubrange(Int.random(in: bytes.indices, using: &random)...)
        default: bytes += noise(Int.random(in: 1...9_000, using: &random))
        }
    }
}
