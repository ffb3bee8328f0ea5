import Foundation

/// Fills small disks, reads from them, makes them larger and goes on.
enum DiskFull {
    /// A disk of which there is little.
    private enum Disk {
        /// A file system in memory of so many KiB.
        case mounted(kibibytes: Int)
        /// Writing fails from some call on, where mounting is not permitted.
        case pretended(call: Int)
    }

    static func run(_ run: TrialRun) throws -> String {
        let count = run.count ?? 20
        let mayMount = try canMount(run)
        let tally = Tally()
        let cases = run.numbers(count)
        try run.forEach(of: cases) { number, auditor in
            // From 300 KiB to 4 MiB.
            let kibibytes = 300 + (4_096 - 300) * number / max(1, count - 1)
            let disk: Disk =
                mayMount
                ? .mounted(kibibytes: kibibytes) : .pretended(call: 20 + kibibytes / 8)
            try hold(disk, number, run, auditor, tally)
        }
        return (mayMount ? "" : "mounting is not permitted here, so errors are made instead; ")
            + "\(cases.count) disks of 300 KiB to 4 MiB filled with \(tally["saved"]) saves; "
            + "ended by \(tally.list("full ")); readable in the same process "
            + "\(tally["readable"]) times, by another one \(tally["readable elsewhere"]) times "
            + "(else refused: \(tally.list("elsewhere "))); went on after growth "
            + "\(tally["done"]) times; \(run.violations.count) violations"
    }

    private static func canMount(_ run: TrialRun) throws -> Bool {
        let folder = try run.newFolder("probe")
        guard mountDisk(folder, kibibytes: 300, grows: false) else { return false }
        unmountDisk(folder)
        return true
    }

    private static func hold(
        _ disk: Disk, _ number: Int, _ run: TrialRun, _ auditor: Auditor, _ tally: Tally
    ) throws {
        let folder = try run.newFolder("disk-\(number)")
        let release = "\(run.folder)/grown-\(number)"
        FileSystem.remove(release)
        var fault: Fault?
        switch disk {
        case .mounted(let kibibytes):
            guard mountDisk(folder, kibibytes: kibibytes, grows: false) else {
                throw TortureError("cannot mount a disk of \(kibibytes) KiB")
            }
        case .pretended(let call):
            fault = Fault(
                prefix: "\(folder)/", operations: [.write, .truncate], call: call, mode: .sticky,
                error: ENOSPC, release: release)
        }
        defer { if case .mounted = disk { unmountDisk(folder) } }
        func violated(_ text: String) {
            run.violated(text, case: "\(number)", keeping: folder)
        }

        let worker = try run.start("fill", in: folder, fault: fault)
        let deadline = ContinuousClock.now + .seconds(60)
        var state = BankRun()
        while let line = worker.readLine(before: deadline) {
            state.note(line)
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "full":
                tally.add("full .\(words.last ?? "")")
                // Where errors are made they also meet writes that always have room, after which an
                // engine cannot know.
                if words.last != "diskFull", fault == nil || words.last != "unknownOutcome" {
                    violated("the full disk was told as: \(line)")
                }
            case "readable":
                tally.add("readable")
                tally.add("saved", state.savedAttempts.count)
                let isUnknown = Int(words[1]) == state.savedEntry + 1 && fault != nil
                if Int(words[1]) != state.savedEntry, !isUnknown {
                    violated("\(line) of \(state.savedEntry)")
                }
            case "waiting":
                try lookElsewhere(folder, auditor, tally, violated)
                grow(folder, disk, release)
                worker.send("grown")
            case "done": tally.add("done")
            case "unreadable", "stuck", "wrong": violated(line)
            default: break
            }
        }
        let end = worker.finish(before: deadline)
        if end != .exited(0) { violated("the worker ended with \(end): \(worker.remarks)") }
        if let problem = state.contradiction(to: try auditor.audit(folder)) { violated(problem) }
    }

    /// Another process may find no room for what it needs to open the store, and must say so.
    private static func lookElsewhere(
        _ folder: String, _ auditor: Auditor, _ tally: Tally, _ violated: (String) -> Void
    ) throws {
        switch try auditor.audit(folder, goesOn: false) {
        case .sound: tally.add("readable elsewhere")
        case .refused("diskFull"): tally.add("elsewhere .diskFull")
        case let answer: violated("another process on the full disk: \(answer)")
        }
    }

    private static func grow(_ folder: String, _ disk: Disk, _ release: String) {
        switch disk {
        case .mounted: _ = mountDisk(folder, kibibytes: 32_768, grows: true)
        case .pretended: try? FileSystem.write([], to: release)
        }
    }

    private static func mountDisk(_ folder: String, kibibytes: Int, grows: Bool) -> Bool {
        #if os(Linux)
        mount("none", folder, "tmpfs", grows ? UInt(MS_REMOUNT) : 0, "size=\(kibibytes)k") == 0
        #else
        false
        #endif
    }

    private static func unmountDisk(_ folder: String) {
        #if os(Linux)
        umount2(folder, Int32(MNT_DETACH))
        #endif
    }
}
