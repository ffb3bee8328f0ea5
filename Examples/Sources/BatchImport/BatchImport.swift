import ArgumentParser
import DebianPackages
import Duramen
import ExampleSupport
import PackageImport
import PackageModel

/// Imports the package database of this machine into an object graph.
@main
struct BatchImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "BatchImport",
        abstract: "Imports Debian packages and their dependencies into an object graph.",
        discussion: """
            Reads the installed packages of this machine, or a Packages index, and saves them with \
            their sections, maintainers and the graph of their dependencies. Run again on the same \
            store, it updates what changed. Malformed stanzas are reported and skipped.
            """)

    @Option(help: "A file in the format of /var/lib/dpkg/status, uncompressed.")
    var input = "/var/lib/dpkg/status"

    @Option(
        help: ArgumentHelp(
            "\(ExampleStore.choices) (default: \(ExampleStore.variable) in the environment, or an "
                + "SQLite file in a new temporary folder)",
            valueName: "url"))
    var store: String?

    @Option(help: ArgumentHelp("How many packages are saved together.", valueName: "count"))
    var chunk = 500

    @Flag(
        help: ArgumentHelp(
            "Inserts by batch requests, without objects: a file, into a store that lists no packages yet."
        ))
    var batches = false

    @Flag(
        help: ArgumentHelp(
            "Says 'saved COUNT' on standard error after each chunk, for programs that watch."))
    var acknowledge = false

    mutating func validate() throws {
        if chunk < 1 { throw ArgumentParser.ValidationError("--chunk must be at least 1.") }
    }

    @MainActor mutating func run() async throws {
        // Opened first, so that a wrong name leaves no empty store behind.
        let reader = try PackageReader(path: input)
        let store = try ExampleStore.chosen(by: store) ?? .temporary()
        let container = try await store.open()
        var messages = StandardError()
        print("Importing \(input) into \(store.text)", to: &messages)

        let clock = ContinuousClock()
        let start = clock.now
        let summary =
            if batches {
                try await PackageBatches(container: container).run(path: input)
            } else {
                try await importInChunks(reader, into: container)
            }
        let tenths = Int(start.duration(to: clock.now) / .milliseconds(100))
        print("\(summary), in \(Double(tenths) / 10) s\n")

        // The main actor uses the view context without waiting for anybody.
        print(try PackageReport(container.viewContext))
        print("\n\(try container.viewContext.listedPackageCount()) packages in \(store.text)")
        try container.close()
    }

    @MainActor private func importInChunks(
        _ reader: PackageReader, into container: PersistentContainer
    ) async throws -> ImportSummary {
        let importer = PackageImporter(container: container, stanzasPerChunk: chunk)
        return try await importer.runWithProgressBar(reader) { summary in
            var messages = StandardError()
            if acknowledge { print("saved \(summary.packages)", to: &messages) }
        }
    }
}
