import ArgumentParser
import DebianPackages
import Duramen
import PackageImport
import PackageModel

/// Imports packages, purges a section again, and says in the store's metadata that this was all.
struct ImportPackages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports packages, and purges a section.")

    @Option(help: ArgumentHelp("The store that is shared.", valueName: "url"))
    var store: String

    @Option(help: "A file in the format of /var/lib/dpkg/status, uncompressed.")
    var input = "/var/lib/dpkg/status"

    @Option(help: ArgumentHelp("Purge the packages of this section.", valueName: "name"))
    var section = "libs"

    func run() async throws {
        let reader = try PackageReader(path: input)
        let container = try await ExampleStore(store).open(keepsHistory: true)
        let summary = try await PackageImporter(container: container, stanzasPerChunk: 50).run(
            reader)
        print("importer: \(summary)")
        let section = section
        let purged = try await container.newBackgroundContext(ContextOptions(author: "purge"))
            .perform { context in
                try context.execute(
                    BatchDeleteRequest(
                        FetchRequest<Package>().where { $0.section.name == section })
                ).count
            }
        print("importer: purged \(purged) packages of '\(section)'")
        // Metadata commits as a transaction of its own, the last one.
        try container.persistentStoreCoordinator.setMetadata([Ending.key: .boolean(true)])
        try container.close()
    }
}

/// How the importer says that it is done.
enum Ending {
    static let key = "imported"

    /// Whether it has said so.
    static func isReached(in container: PersistentContainer) throws -> Bool {
        try container.persistentStoreCoordinator.metadata().userInfo[key] == .boolean(true)
    }
}
