import Duramen
import ExampleSupport
import PackageModel

/// The experiments: the same conflict under one policy after the other.
///
/// The context of each writer is made for one experiment and belongs to whoever calls.
struct Lab {
    /// The package that is copied.
    let original: String
    private let container: PersistentContainer
    /// What the copies need in the beginning, and what the writers add.
    private let needs: [ManagedObjectID]
    private let firstNeed: ManagedObjectID
    private let secondNeed: ManagedObjectID

    /// Chooses the package that most others need; nil when there are too few packages.
    init?(_ container: PersistentContainer) throws {
        let context = container.makeContext()
        let needed = try context.mostNeededPackages(4)
        guard needed.count == 4 else { return nil }
        self.container = container
        original = needed[0].identifier
        needs = needed[..<2].map(\.objectID)
        firstNeed = needed[2].objectID
        secondNeed = needed[3].objectID
    }

    /// What becomes of properties that one writer changed, or both.
    func edits() throws -> Table {
        var table = Table([
            Table.Column("Policy of the second"), Table.Column("Synopsis (both)"),
            Table.Column("Homepage (first)"), Table.Column("Version (second)"),
            Table.Column("Size (+1, +10)"), Table.Column("Needs (both add one)"),
        ])
        for trial in Trial.all {
            let identifier = try addCopy(for: trial)
            let (first, second) = writers(trial.policy)
            let mine = try second.copy(identifier)
            // Reads them, as whoever shows a package does.
            _ = mine.dependencies.count
            try edit(first, identifier)
            mine.synopsis = "second"
            mine.version = "second"
            mine.installedSizeKiB = 110
            mine.dependencies.insert(second.object(with: secondNeed, as: Package.self))
            let isRefused = try isRefused(second)
            let values = try describe(identifier, isRefused: isRefused)
            table.append([trial.name] + values)
            try remove(identifier)
        }
        return table
    }

    /// What becomes of an object that one writer deletes, and of two with one name.
    func deletionsAndTwins() throws -> Table {
        var table = Table([
            Table.Column("Policy of the second"), Table.Column("First edits, second deletes"),
            Table.Column("First deletes, second edits"), Table.Column("Both add one"),
        ])
        for trial in Trial.all {
            table.append([
                trial.name, try deleteWhatTheFirstEdits(trial), try editWhatTheFirstDeletes(trial),
                try addTwins(trial),
            ])
        }
        return table
    }

    /// Each policy in a sentence.
    func reasons() -> Table {
        var table = Table([Table.Column("Policy"), Table.Column("What decides")])
        for trial in Trial.all { table.append([trial.name, trial.reason]) }
        return table
    }

    // MARK: - Experiments

    private func deleteWhatTheFirstEdits(_ trial: Trial) throws -> String {
        let identifier = try addCopy(for: trial)
        let (first, second) = writers(trial.policy)
        second.delete(try second.copy(identifier))
        try edit(first, identifier)
        return try outcome(second, identifier)
    }

    private func editWhatTheFirstDeletes(_ trial: Trial) throws -> String {
        let identifier = try addCopy(for: trial)
        let (first, second) = writers(trial.policy)
        try second.copy(identifier).synopsis = "second"
        first.delete(try first.copy(identifier))
        try first.save()
        return try outcome(second, identifier)
    }

    private func addTwins(_ trial: Trial) throws -> String {
        let identifier = "\(original):twin"
        let (first, second) = writers(trial.policy)
        for (context, name) in [(first, "first"), (second, "second")] {
            let package = Package(context: context)
            package.identifier = identifier
            package.synopsis = name
            // The second writer knows no homepage.
            package.homepage = name == "first" ? name : nil
        }
        try first.save()
        return try outcome(second, identifier)
    }

    private func outcome(_ second: ManagedObjectContext, _ identifier: String) throws -> String {
        if try isRefused(second) {
            try remove(identifier)
            return "refused"
        }
        let result = try read(identifier) { package in
            guard let package else { return "gone" }
            let homepage = package.homepage == nil ? ", homepage lost" : ""
            return "of the \(package.synopsis ?? "-")\(homepage)"
        }
        try remove(identifier)
        return result
    }

    // MARK: - Writers

    private func writers(
        _ policy: MergePolicy
    ) -> (first: ManagedObjectContext, second: ManagedObjectContext) {
        (
            container.makeContext(ContextOptions(name: "first")),
            container.makeContext(ContextOptions(name: "second", mergePolicy: policy))
        )
    }

    /// What the first writer does to a copy.
    private func edit(_ first: ManagedObjectContext, _ identifier: String) throws {
        let package = try first.copy(identifier)
        package.synopsis = "first"
        package.homepage = "first"
        package.installedSizeKiB = 101
        package.dependencies.insert(first.object(with: firstNeed, as: Package.self))
        try first.save()
    }

    /// Saves, and says whether the policy leaves the conflict to the application.
    private func isRefused(_ context: ManagedObjectContext) throws -> Bool {
        do {
            try context.save()
            return false
        } catch is SaveConflictError {
            return true
        }
    }

    private func addCopy(for trial: Trial) throws -> String {
        let identifier = "\(original):\(trial.name)"
        let context = container.makeContext()
        let package = Package(context: context)
        package.identifier = identifier
        (package.synopsis, package.homepage, package.version) = ("before", "before", "before")
        package.installedSizeKiB = 100
        for id in needs { package.dependencies.insert(context.object(with: id, as: Package.self)) }
        try context.save()
        return identifier
    }

    private func remove(_ identifier: String) throws {
        let context = container.makeContext()
        if let package = try context.find(identifier) { context.delete(package) }
        try context.save()
    }

    private func describe(_ identifier: String, isRefused: Bool) throws -> [String] {
        let values = try read(identifier) { package in
            guard let package else { return ["gone"] }
            var added: [String] = []
            for (id, name) in [(firstNeed, "first"), (secondNeed, "second")]
            where package.dependencies.contains(id) {
                added.append(name)
            }
            return [
                package.synopsis ?? "-", package.homepage ?? "-", package.version ?? "-",
                "\(package.installedSizeKiB ?? 0)", added.joined(separator: " and "),
            ]
        }
        return isRefused ? values.map { "\($0) (refused)" } : values
    }

    /// Shows what is stored of a package. Objects are good for as long as their context.
    private func read<Result>(
        _ identifier: String, _ body: (Package?) throws -> Result
    ) throws -> Result {
        let context = container.makeContext()
        return try withExtendedLifetime(context) { try body(context.find(identifier)) }
    }
}

extension ManagedObjectContext {
    /// The package of an identifier; nil when there is none.
    fileprivate func find(_ identifier: String) throws -> Package? {
        try fetch(FetchRequest<Package>().where { $0.identifier == identifier }).first
    }

    /// A copy that was added before.
    fileprivate func copy(_ identifier: String) throws -> Package {
        guard let package = try find(identifier) else {
            throw ContextError(.objectNotFound, "'\(identifier)' is gone. Run the lab again.")
        }
        return package
    }
}
