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
        let all = try FaultSweep.cases(run, onCopiesOf: template) { folder, fault in
            try start(in: folder, run, fault)
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
        try FaultSweep.hold(
            item, onCopyOf: template, run, tally,
            { folder, fault in try start(in: folder, run, fault) }
        ) { folder, isDone in
            var problems: [String] = []
            let (version, found) = try KillMigration.audit(folder, run)
            tally.add("version \(version)")
            if found != expected {
                problems.append("version \(version) holds \(found), not \(expected)")
            }
            if version == "1", isDone { problems.append("nothing was changed") }
            let copies = try MigrationRace.count("copies", folder, run) ?? 0
            if version == "2", copies != 1 { problems.append("\(copies) copies were kept") }
            if let left = FileSystem.leftCopy(in: folder) { problems.append("'\(left)' was left") }
            return problems
        }
    }
}
