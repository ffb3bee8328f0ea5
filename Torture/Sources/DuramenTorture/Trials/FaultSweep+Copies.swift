import Foundation

/// A sweep over copies of a store that is made once.
extension FaultSweep {
    /// Starts a worker in a folder, while calls fail.
    typealias Start = (_ folder: String, _ fault: Fault) throws -> ChildProcess

    /// The cases of a worker that works on a copy of a template.
    static func cases(
        _ run: TrialRun, onCopiesOf template: String, _ start: Start
    ) throws -> [Case] {
        try cases(run) { folder, fault in
            FileSystem.remove(folder)
            try FileSystem.copy(template, to: folder)
            return try start(folder, fault)
        }
    }

    /// Runs one case on a copy of a template, and then judges the copy.
    ///
    /// - Parameters:
    ///   - item: The case.
    ///   - template: The folder to copy.
    ///   - run: The run that the case belongs to.
    ///   - tally: Counts the kills, and the errors by code.
    ///   - start: Starts the worker, which says `done` or `failed CODE` in the end.
    ///   - judge: Returns the broken promises in a folder, given whether the worker said `done`.
    static func hold(
        _ item: Case, onCopyOf template: String, _ run: TrialRun, _ tally: Tally, _ start: Start,
        _ judge: (_ folder: String, _ isDone: Bool) throws -> [String]
    ) throws {
        let folder = "\(run.folder)/\(item.name)"
        FileSystem.remove(folder)
        try FileSystem.copy(template, to: folder)
        let fault = Fault(
            prefix: "\(folder)/", operations: [item.operation], call: item.call,
            mode: item.way.mode, error: item.way.error)
        let worker = try start(folder, fault)
        // SQLite tries for ten seconds to lock a file whose locks fail, and is asked several times.
        let end = worker.finish(before: .now + KillMigration.limit)
        var problems: [String] = []
        let last = worker.remarks.last ?? ""
        switch end {
        case .exited(0) where last == "done": break
        case .exited(0) where last.hasPrefix("failed "):
            tally.add("code \(last.dropFirst("failed ".count))")
        case .signalled(SIGKILL) where item.way.mode == .kill: tally.add("killed")
        default: problems.append("the worker ended with \(end): \(worker.remarks.suffix(3))")
        }
        do { problems += try judge(folder, last == "done") } catch { problems.append("\(error)") }
        for problem in problems { run.violated(problem, case: item.name, keeping: folder) }
        FileSystem.remove(folder)
    }
}
