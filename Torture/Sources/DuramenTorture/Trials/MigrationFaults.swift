import Foundation

/// Lets every call of the system fail in turn while the model of a store is changed and a copy of
/// it is kept. Afterwards the store is of the one version or of the other, with all that it held.
struct MigrationFaults {
    private let way: KillMigration.Way

    init(_ way: KillMigration.Way) { self.way = way }

    @Sendable func run(_ run: TrialRun) throws -> String {
        let tally = Tally()
        let template = try run.newFolder("template")
        try run.makeStore("migrate", in: template, ["step=make", "rows=200"])
        let (_, expected) = try KillMigration.audit(template, run)
        let all = try FaultSweep.cases(run) { folder, fault in
            FileSystem.remove(folder)
            try FileSystem.copy(template, to: folder)
            return try start(in: folder, run, fault)
        }
        let chosen = FaultSweep.choose(all, run)
        try run.forEach(of: chosen) { item, _ in
            try hold(item, template, expected, run, tally)
        }
        return
            "\(chosen.count) of \(all.count) faulted changes: \(tally["version 1"]) stores were as before, "
            + "\(tally["version 2"]) were changed; errors by code: \(tally.list("code ")); "
            + "\(run.violations.count) violations"
    }

    private func start(
        in folder: String, _ run: TrialRun, _ fault: Fault
    ) throws -> ChildProcess {
        try run.start(
            "migrate", in: folder,
            ["step=migrate", "backup=always", "timeout-milliseconds=200", "patience=0"]
                + way.arguments,
            fault: fault)
    }

    private func hold(
        _ item: FaultSweep.Case, _ template: String, _ expected: String, _ run: TrialRun,
        _ tally: Tally
    ) throws {
        let folder = "\(run.folder)/\(item.name)"
        FileSystem.remove(folder)
        try FileSystem.copy(template, to: folder)
        let fault = Fault(
            prefix: "\(folder)/", operations: [item.operation], call: item.call,
            mode: item.way.mode, error: item.way.error)
        let worker = try start(in: folder, run, fault)
        // SQLite tries for ten seconds to lock a file whose locks fail, and is asked several times.
        let end = worker.finish(before: .now + KillMigration.limit)
        var problems: [String] = []
        let last = worker.remarks.last ?? ""
        switch end {
        case .exited(0) where last == "done": break
        case .exited(0) where last.hasPrefix("failed "):
            tally.add("code \(last.dropFirst("failed ".count))")
        case .signalled(SIGKILL) where item.way.mode == .kill: break
        default: problems.append("the worker ended with \(end): \(worker.remarks.suffix(3))")
        }
        do {
            let (version, found) = try KillMigration.audit(folder, run)
            tally.add("version \(version)")
            if found != expected {
                problems.append("version \(version) holds \(found), not \(expected)")
            }
            if version == "1", last == "done" { problems.append("nothing was changed") }
            let copies = try MigrationRace.count("copies", folder, run) ?? 0
            if version == "2", copies != 1 { problems.append("\(copies) copies were kept") }
        } catch {
            problems.append("\(error)")
        }
        for problem in problems { run.violated(problem, case: item.name, keeping: folder) }
        FileSystem.remove(folder)
    }
}
