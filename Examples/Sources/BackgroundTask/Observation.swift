import Duramen
import ExampleSupport
import PackageModel

/// Objects of the view context that a purge elsewhere will change, held by the main actor as a user
/// interface holds what it shows.
///
/// Nothing here is fetched again: what differs after the purge came by merging.
@MainActor
struct Observation {
    /// The packages that will go.
    private let doomed: [Package]
    /// Sections with packages that will go.
    private let sections: [Section]
    /// Packages that stay and need many of those that go.
    private let dependents: [Package]

    /// Fetches what is to be watched.
    init(of purge: Purge, in context: ManagedObjectContext) throws {
        let doomed = try context.fetch(purge.request)
        let isDoomed = Set(doomed)
        var losses: [Package: Int] = [:]
        for package in doomed {
            for dependent in package.dependents where !isDoomed.contains(dependent) {
                losses[dependent, default: 0] += 1
            }
        }
        dependents = losses.sorted {
            ($1.value, $0.key.identifier) < ($0.value, $1.key.identifier)
        }.prefix(3).map(\.key)
        sections = Set(doomed.compactMap(\.section)).sorted {
            ($1.packages.count, $0.name) < ($0.packages.count, $1.name)
        }.prefix(3).map { $0 }
        self.doomed = doomed
    }

    /// Whether no package will go.
    var isEmpty: Bool { doomed.isEmpty }

    /// What the view context sees of the objects now.
    func describe() throws -> [(what: String, count: Int)] {
        [(what: "fetched packages that are there", count: doomed.count { !$0.isDeleted })]
            + sections.map { (what: "packages in '\($0.name)'", count: $0.packages.count) }
            + dependents.map {
                (what: "packages that \($0.identifier) needs", count: $0.dependencies.count)
            }
    }

    /// Two descriptions next to each other.
    func table(
        before: [(what: String, count: Int)], after: [(what: String, count: Int)]
    ) -> Table {
        var table = Table([
            Table.Column("The view context sees", maximumWidth: 50),
            Table.Column("Before", .trailing), Table.Column("After", .trailing),
        ])
        for (old, new) in zip(before, after) {
            table.append([old.what, "\(old.count)", "\(new.count)"])
        }
        return table
    }
}
