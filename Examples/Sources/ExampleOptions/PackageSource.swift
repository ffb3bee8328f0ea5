public import ArgumentParser
import DebianPackages
public import Duramen
import PackageImport
import PackageModel

/// The options of examples that work on packages: their store, and what fills an empty one.
public struct PackageSource: ParsableArguments {
    /// The store, as ``ExampleStore`` takes it.
    @Option(
        help: ArgumentHelp(
            "\(ExampleStore.choices), filled first when empty (default: \(ExampleStore.variable) in "
                + "the environment, or memory:)",
            valueName: "url"))
    public var store: String?

    /// The file to import from.
    @Option(help: "What to import into an empty store.")
    public var input = "/var/lib/dpkg/status"

    public init() {}

    /// Opens the store, and imports packages when it has none.
    @MainActor public func openFilled() async throws -> PersistentContainer {
        let store = try ExampleStore.chosen(by: store) ?? ExampleStore("memory:")
        let container = try await store.open()
        if try container.viewContext.listedPackageCount() == 0 {
            let reader = try PackageReader(path: input)
            _ = try await PackageImporter(container: container).runWithProgressBar(reader)
        }
        return container
    }
}
