public import Duramen

// The questions that the examples ask. They are extensions of the context, so that they can be
// asked where the context lives: on the main actor, in a background task, in an actor of your own.
extension ManagedObjectContext {
    /// How many packages files list; names that are only asked for do not count.
    public func listedPackageCount() throws -> Int {
        try count(for: FetchRequest<Package>().where { $0.state != .named })
    }

    /// How many packages are filed under a section.
    public func packageCount(in section: Section) throws -> Int {
        try count(for: FetchRequest<Package>().where { $0.section == section })
    }

    /// The sections with their numbers of packages, the largest first.
    ///
    /// - Complexity: One fetch, and one count per section; no package is read.
    public func packageCountsBySection() throws -> [(section: String, packages: Int)] {
        try fetch(FetchRequest<Section>().sorted(by: \.name))
            .map { (section: $0.name, packages: try packageCount(in: $0)) }
            .sorted { ($1.packages, $0.section) < ($0.packages, $1.section) }
    }

    /// The names that most packages need, the most needed first.
    ///
    /// A store can compare the number of destinations but not sort by it. So counts find a bound
    /// that few names reach, and only those are fetched.
    /// - Complexity: One count per doubling of the bound, then one fetch of few objects and one
    ///   statement for the dependents of all of them.
    public func mostNeededPackages(_ limit: Int) throws -> [Package] {
        func needed(by count: Int) -> FetchRequest<Package> {
            FetchRequest().where { $0.dependents.count >= count }
        }
        var bound = 1
        while try count(for: needed(by: bound * 2)) >= limit { bound *= 2 }
        return try fetch(needed(by: bound).sorted(by: \.identifier))
            .map { (package: $0, dependents: $0.dependents.count) }
            .sorted { $0.dependents > $1.dependents }
            .prefix(limit).map(\.package)
    }
}
