import ArgumentParser
import Foundation

/// The parent of all trials and, told so by its first argument, each of their workers.
@main
enum DuramenTorture {
    static func main() {
        // A process that is gone must not take this one along.
        signal(SIGPIPE, SIG_IGN)
        // Workers start often, so they get by without the parser.
        if CommandLine.arguments.dropFirst().first == "worker" {
            Worker.main(CommandLine.arguments.dropFirst(2))
        } else {
            TortureCommand.main()
        }
    }
}

/// The command line.
struct TortureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Scripts/torture",
        abstract: "Kills, faults, losses of power and damage, and what becomes of stores.",
        discussion: """
            Names: \(Trial.all.map(\.name).joined(separator: ", ")), all.
            Progress goes to the error stream; one line per trial and store goes to the output. The exit \
            code is 1 when a promise was broken: the store is kept then, and the line says how to repeat \
            the case.
            """)

    @Argument(help: "The trial, or all for a slice of each.")
    var name: String

    @Option(help: "How many cases; each trial has a number of its own.")
    var count: Int?

    @Option(help: "The kind of store: \(StoreKind.all.map(\.name).joined(separator: ", ")) or all.")
    var store = "all"

    @Option(help: "Where random choices begin; a new one is taken and said unless given.")
    var seed: UInt64?

    @Option(help: "Repeats one case, or for power-loss all of one durability.")
    var only: String?

    @Option(help: "The folder for stores (default: the one for temporary files).")
    var folder: String?

    @Option(help: .hidden)
    var faults: String?

    @Option(help: .hidden)
    var batchImport: String?

    mutating func validate() throws {
        if name != "all", !Trial.all.contains(where: { $0.name == name }) {
            throw ValidationError("No trial is named '\(name)'; see --help.")
        }
        if store != "all", StoreKind.named(store) == nil {
            throw ValidationError("No store is named '\(store)'; see --help.")
        }
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    }

    func run() throws {
        let seed = seed ?? UInt64.random(in: 1...999_999)
        print("seed \(seed), \(Self.versions)")
        let kinds = StoreKind.named(store).map { [$0] } ?? StoreKind.all
        let programs = Programs(
            worker: Self.ownPath, faults: faults, batchImport: batchImport)
        var violations: [String] = []
        for trial in Trial.all where name == "all" || name == trial.name {
            for kind in kinds where trial.applies(kind) {
                let run = try TrialRun(
                    trial: trial.name, kind: kind, programs: programs, seed: seed,
                    count: count ?? (name == "all" ? trial.slice : nil), only: only,
                    folder: folder ?? FileManager.default.temporaryDirectory.path)
                defer { run.removeFolder() }
                let start = ContinuousClock.now
                let summary = try trial.run(run)
                let tenths = Int(start.duration(to: .now) / .milliseconds(100))
                violations += run.violations
                print(
                    "\(run.violations.isEmpty ? "ok  " : "BAD ") \(trial.name) \(kind.name): "
                        + "\(summary) (\(Double(tenths) / 10) s)")
            }
        }
        // A log of a long run often loses its middle, and the error stream with it.
        for violation in violations { print(violation) }
        if !violations.isEmpty { throw ExitCode(1) }
    }

    private static var versions: String {
        "SQLite \(SQLiteEngine.version), \(ProcessInfo.processInfo.operatingSystemVersionString), "
            + "\(ProcessInfo.processInfo.activeProcessorCount) processors"
    }

    private static var ownPath: String {
        Bundle.main.executablePath ?? CommandLine.arguments[0]
    }
}
