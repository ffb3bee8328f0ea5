import ArgumentParser
import Duramen
import PackageImport
import PackageModel

/// Keeps a store of another kind equal to the shared one, by its history alone.
struct MirrorPackages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Mirrors the packages into a store of another kind.")

    @Option(help: ArgumentHelp("The store that is shared.", valueName: "url"))
    var store: String

    @Option(name: .customLong("to"), help: ArgumentHelp("The store to fill.", valueName: "url"))
    var target: String

    func run() async throws {
        let source = try await ExampleStore(store).open(keepsHistory: true)
        let target = try await ExampleStore(target).open()
        // The store keeps for the name what it has not acknowledged, while it is away too.
        let consumer = try source.historyConsumer(named: "mirror")
        let changes = source.remoteChanges
        let mirror = Mirror(source: source, target: target)
        var transactions = 0
        repeat {
            let isLast = try Ending.isReached(in: source)
            while case let (count, token) = try await mirror.take(
                consumer.next(maximumTransactions: 20)),
                count > 0
            {
                // What comes again after a crash is copied again, which changes nothing.
                try consumer.acknowledge(token)
                transactions += count
            }
            if isLast { break }
        } while await changes.first { _ in true } != nil
        print("mirror: took over \(transactions) transactions")
        let (first, second) = (try await source.lines(), try await target.lines())
        print(
            "mirror: \(first.count) objects there, \(second.count) here, "
                + (first == second ? "all equal" : "NOT equal"))
        try consumer.remove()
        try source.close()
        try target.close()
        if first != second { throw ExitCode.failure }
    }
}

extension PersistentContainer {
    /// Returns a line for every object, with its values and the names of its destinations. Keys are
    /// left out, since each store has its own.
    fileprivate func lines() async throws -> [String] {
        try await performBackgroundTask { context in
            let packages = try context.fetch(FetchRequest<Package>()).map { package in
                let lists = [package.dependencies, package.alternatives, package.provides].map {
                    list in
                    list.map(\.identifier).sorted().joined(separator: " ")
                }
                let texts = [
                    package.version, package.architecture, package.synopsis, package.homepage,
                    package.installedSizeKiB.map(String.init), package.section?.name,
                    package.maintainer?.contact,
                ].map { $0 ?? "-" }
                return (["package", package.identifier, "\(package.state)"] + texts + lists)
                    .joined(separator: "|")
            }
            let sections = try context.fetch(FetchRequest<Section>()).map { "section|\($0.name)" }
            let maintainers = try context.fetch(FetchRequest<Maintainer>()).map {
                "maintainer|\($0.contact)|\($0.name)|\($0.address ?? "-")"
            }
            return (packages + sections + maintainers).sorted()
        }
    }
}
