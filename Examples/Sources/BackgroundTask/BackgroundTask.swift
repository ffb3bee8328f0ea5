import ArgumentParser
import Duramen
import ExampleOptions
import PackageModel

/// Purges packages in a background task, while the main actor looks at them.
@main
struct BackgroundTask: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "BackgroundTask",
        abstract: "Purges packages in a background task and shows how the view context follows.",
        discussion: """
            Works on a store that BatchImport made, or else imports the packages of this machine \
            into memory first. Only the store is changed, never the machine.
            """)

    @OptionGroup var source: PackageSource

    @Option(help: ArgumentHelp("Purge the packages of this section.", valueName: "name"))
    var section = "libs"

    @Flag(help: "Purge the packages that are not installed instead.")
    var notInstalled = false

    @Flag(help: "Do the work in an operation of a queue instead of a task.")
    var operation = false

    @Flag(help: "Delete all at once by a batch request, without making objects.")
    var batch = false

    mutating func validate() throws {
        if operation, batch {
            throw ArgumentParser.ValidationError("Choose one of --operation and --batch.")
        }
    }

    @MainActor mutating func run() async throws {
        let container = try await source.openFilled()
        let purge = Purge(notInstalled ? .notInstalled : .section(section))
        let observation = try Observation(of: purge, in: container.viewContext)
        if observation.isEmpty {
            let sections = try container.viewContext.packageCountsBySection().map(\.section)
            print("There is nothing to purge of \(purge).")
            print("The sections are: \(sections.sorted().joined(separator: ", "))")
            return
        }
        print("Purging \(purge)\n")

        let before = try observation.describe()
        let purged =
            if operation {
                try await purge.runInQueue(in: container)
            } else if batch {
                try await purge.runAsBatch(in: container)
            } else {
                try await purge.run(in: container)
            }
        // What the task saved reached the view context while the main actor waited, or does so now.
        container.viewContext.processPendingChanges()
        print(observation.table(before: before, after: try observation.describe()))

        let left = try container.viewContext.listedPackageCount()
        print("\nPurged \(purged) of \(purged + left) packages; \(left) are left.")
        try container.close()
    }
}
