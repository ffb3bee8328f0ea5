import Foundation

/// Lets every call of the system fail in turn, or kills the process there, while a store is copied
/// to a backup, or a backup takes the place of a store.
struct BackupFaults {
    /// What is done while calls fail.
    enum Way: String, Sendable {
        case backup, restore
    }

    private let way: Way

    init(_ way: Way) { self.way = way }

    @Sendable func run(_ run: TrialRun) throws -> String {
        let tally = Tally()
        let template = try run.newFolder("template")
        try run.makeStore("backup", in: template, ["step=make", "free=\(way == .backup ? 1 : 0)"])
        let all = try FaultSweep.cases(run, onCopiesOf: template) { folder, fault in
            try start(in: folder, run, fault)
        }
        let chosen = FaultSweep.choose(all, run)
        try run.forEach(of: chosen) { item, _ in try hold(item, template, run, tally) }
        let outcome =
            way == .backup
            ? "\(tally["backup none"]) left no backup, \(tally["backup new"]) left a whole one"
            : "\(tally["store new"]) stores were as before, \(tally["store old"]) were replaced"
        return
            "\(chosen.count) of \(all.count) faulted runs, \(tally["killed"]) of them killed: \(outcome); errors by "
            + "code: \(tally.list("code ")); \(run.violations.count) violations"
    }

    private func start(
        in folder: String, _ run: TrialRun, _ fault: Fault
    ) throws -> ChildProcess {
        try run.start(
            "backup", in: folder, ["step=\(way.rawValue)", "timeout-milliseconds=200"],
            fault: fault)
    }

    private func hold(
        _ item: FaultSweep.Case, _ template: String, _ run: TrialRun, _ tally: Tally
    ) throws {
        try FaultSweep.hold(
            item, onCopyOf: template, run, tally,
            { folder, fault in try start(in: folder, run, fault) }
        ) { folder, isDone in
            let (store, backup) = try audit(folder, run)
            tally.add("store \(store)")
            tally.add("backup \(backup)")
            if way == .backup, backup == "none" { try backUpAgain(folder, run) }
            return contradictions(store, backup, isDone: isDone)
        }
    }

    /// What is wrong with what is there afterwards.
    private func contradictions(_ store: String, _ backup: String, isDone: Bool) -> [String] {
        var problems: [String] = []
        switch way {
        case .backup:
            if store != "new" { problems.append("the store is \(store)") }
            if backup != "new", backup != "none" { problems.append("the backup is \(backup)") }
            if isDone, backup != "new" { problems.append("there is no backup") }
        case .restore:
            if store != "new", store != "old" { problems.append("the store is \(store)") }
            if backup != "old" { problems.append("the backup is \(backup)") }
            if isDone, store != "old" { problems.append("the store was not replaced") }
        }
        return problems
    }

    private func audit(_ folder: String, _ run: TrialRun) throws -> (String, String) {
        let worker = try run.start("backup", in: folder, ["step=audit"])
        let end = worker.finish(before: .now + KillMigration.limit)
        let words = (worker.remarks.last ?? "").split(separator: " ").map(String.init)
        guard end == .exited(0), words.count == 4, words[0] == "store" else {
            throw TortureError("the stores in \(folder) do not open: \(worker.remarks)")
        }
        return (words[1], words[3])
    }

    /// What a failed backup left is in nobody's way.
    private func backUpAgain(_ folder: String, _ run: TrialRun) throws {
        let worker = try run.start("backup", in: folder, ["step=backup"])
        let end = worker.finish(before: .now + KillMigration.limit)
        guard end == .exited(0), worker.remarks.last == "done" else {
            throw TortureError("a second backup failed: \(worker.remarks)")
        }
        let (_, backup) = try audit(folder, run)
        if backup != "new" { throw TortureError("the second backup is \(backup)") }
    }
}
