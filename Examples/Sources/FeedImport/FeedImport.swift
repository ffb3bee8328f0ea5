import ArgumentParser
import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import Foundation

/// Imports a feed of books twice.
@main
struct FeedImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "FeedImport",
        abstract: "Imports a JSON feed of books into an object graph, twice.",
        discussion: """
            The first import makes the objects. The second one finds that the store has them, and \
            writes nothing. One element of the sample is wrong on purpose: it is refused, and the rest \
            is imported.
            """)

    @Option(help: .init("sqlite:PATH, lmdb:PATH or memory:", valueName: "url"))
    var store = ProcessInfo.processInfo.environment["DURAMEN_STORE"] ?? "memory:"

    @Option(help: .init("A document with an array at /books.", valueName: "file"))
    var input = Self.sample

    @MainActor mutating func run() async throws {
        let types = StoreTypes([.sqlite, .lmdb, .memory])
        let container = try await PersistentContainer.library(types.description(for: store))
        for title in ["The first import", "The second import"] {
            print(
                "\(title):\n\(FeedReport(report: try await container.importBooks(from: input)))\n")
        }
        print(try BookList(container.viewContext).text)
        try container.close()
    }

    /// The sample of the repository.
    static let sample = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Samples/books.json").path
}
