import DuramenTestKit
import Foundation

/// Several processes run transactions on lists through contexts, and the history is judged: what
/// isolation excludes must not be in it, and what a store does that compares no versions must be.
enum Isolation {
    /// Threads of each process, each with a context of its own.
    static let tasks = 4
    private static let processes = 3
    private static let limit = Duration.seconds(3_600)

    /// How contexts and stores are used.
    private struct Mode {
        let name: String
        var isGuarded = false
        var comparesVersions = true
        /// What may be found.
        let allowed: Set<IsolationAnomaly.Kind>
    }

    private static let modes = [
        // Saves compare what they write, which is snapshot isolation.
        Mode(name: "plain", allowed: [.writeSkew]),
        Mode(name: "guarded", isGuarded: true, allowed: []),
        Mode(
            name: "unchecked", comparesVersions: false,
            allowed: Set(IsolationAnomaly.Kind.allCases)),
    ]

    static func run(_ run: TrialRun) throws -> String {
        let all = run.count ?? 10_000
        let parts = try modes.filter { run.only == nil || run.only == $0.name }.map { mode in
            // A store that loses updates shows it soon.
            let count = mode.comparesVersions ? all : max(240, all / 20)
            return try self.run(run, mode, transactions: count)
        }
        return "\(processes) processes of \(tasks) contexts. " + parts.joined(separator: ". ")
    }

    private static func run(_ run: TrialRun, _ mode: Mode, transactions: Int) throws -> String {
        let folder = try run.newFolder(mode.name)
        let deadline = ContinuousClock.now + limit
        let each = max(1, transactions / (processes * tasks))
        let all = ["all=\(each * processes * tasks)", "compares=\(mode.comparesVersions ? 1 : 0)"]
        try finish(start(run, folder, "make", all), before: deadline)
        let workers = try (0..<processes).map { place in
            try start(
                run, folder, "run",
                all + [
                    "first=\(place * tasks)", "transactions=\(each)", "seed=\(run.seed)",
                    "guards=\(mode.isGuarded ? 1 : 0)", "history=\(folder)/history-\(place)",
                ])
        }
        for worker in workers where worker.readLine(beginning: ["ready"], before: deadline) == nil {
            throw TortureError("a process is not ready: \(worker.remarks.joined(separator: "; "))")
        }
        for worker in workers { worker.send("go") }
        var history: [ListTransaction] = []
        for (place, worker) in workers.enumerated() {
            do {
                try finish(worker, before: deadline)
            } catch {
                run.violated("process \(place): \(error)", case: mode.name, keeping: folder)
            }
            history += try read("\(folder)/history-\(place)")
            run.completedOne(of: modes.count * processes)
        }
        try finish(
            start(run, folder, "read", all + ["history=\(folder)/final"]), before: deadline)
        return try judge(run, mode, folder, history)
    }

    private static func judge(
        _ run: TrialRun, _ mode: Mode, _ folder: String, _ history: [ListTransaction]
    ) throws -> String {
        var final: [Int: [Int]] = [:]
        for case .read(let list, let numbers) in try read("\(folder)/final").flatMap(\.steps) {
            final[list] = numbers
        }
        let anomalies = IsolationChecker(history, final: final).anomalies()
        let wrong = anomalies.filter { !mode.allowed.contains($0.kind) }
        if let first = wrong.first {
            run.violated(
                "\(mode.name): \(wrong.count) anomalies; \(first)", case: mode.name, keeping: folder
            )
        }
        let worse = anomalies.filter { $0.kind == .lostUpdate }
        if !mode.comparesVersions, worse.isEmpty {
            run.violated(
                "a store that compares no versions was not found out", case: mode.name,
                keeping: folder)
        }
        if let complaint = run.kind.engineComplaint(run.kind.path(in: folder)) {
            run.violated(complaint, case: mode.name, keeping: folder)
        }
        let committed = history.count { $0.outcome == .committed }
        let counts = Dictionary(grouping: anomalies, by: \.kind.rawValue).mapValues(\.count)
            .sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return "\(mode.name): \(committed) of \(history.count) transactions committed, "
            + (counts.isEmpty ? "no anomaly" : counts.joined(separator: ", "))
    }

    private static func read(_ path: String) throws -> [ListTransaction] {
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        return try text.split(separator: "\n").map { line in
            guard let transaction = ListTransaction(String(line)) else {
                throw TortureError("\(path) has a line that is no transaction: \(line.prefix(80))")
            }
            return transaction
        }
    }

    private static func start(
        _ run: TrialRun, _ folder: String, _ action: String, _ more: [String]
    ) throws -> ChildProcess {
        try run.start("lists", in: folder, ["action=\(action)"] + more)
    }

    private static func finish(
        _ process: ChildProcess, before deadline: ContinuousClock.Instant
    ) throws {
        let end = process.finish(before: deadline)
        guard end == .exited(0), process.remarks.last == "done" else {
            throw TortureError("ended with \(end): \(process.remarks.joined(separator: "; "))")
        }
    }
}
