import ArgumentParser
import Duramen
import PackageImport
import PackageModel

/// Shows how a live list follows another process.
struct ViewPackages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view", abstract: "Follows the packages in a live list.")

    @Option(help: ArgumentHelp("The store that is shared.", valueName: "url"))
    var store: String

    @MainActor func run() async throws {
        let container = try await ExampleStore(store).open(keepsHistory: true)
        // All that it takes: contexts merge what other processes save.
        container.automaticallyMergesRemoteChanges = true
        let changes = container.remoteChanges
        let context = container.viewContext
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Package>().where { $0.state != .named }
                .sorted(by: \.identifier),
            managedObjectContext: context)
        // A list is kept up to date for whoever follows it.
        let events = controller.events()
        defer { withExtendedLifetime(events) {} }
        try controller.performFetch()
        var shown = -1
        for await change in changes {
            context.processPendingChanges()
            let count = controller.fetchedObjects?.count ?? 0
            if abs(count - shown) >= 200 {
                print("viewer: \(count) packages at \(change.historyToken.map { "\($0)" } ?? "-")")
                shown = count
            }
            if try Ending.isReached(in: container) { break }
        }
        context.processPendingChanges()
        let listed = controller.fetchedObjects?.count ?? 0
        let stored = try context.listedPackageCount()
        print("viewer: the list has \(listed) packages, and the store \(stored)")
        try container.close()
        if listed != stored { throw ExitCode.failure }
    }
}
