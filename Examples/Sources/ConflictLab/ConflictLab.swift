import ArgumentParser
import Duramen
import ExampleOptions
import ExampleSupport
import PackageModel

/// Lets two writers get into each other's way, once under every merge policy.
@main
struct ConflictLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ConflictLab",
        abstract: "Shows what each merge policy makes of the conflicts of two writers.",
        discussion: """
            Both writers work on a copy of the package that most others need. The first saves, then \
            the second, whose policy decides. The copies are deleted in the end; only the store is \
            changed, never the machine.
            """)

    @OptionGroup var source: PackageSource

    @MainActor mutating func run() async throws {
        let container = try await source.openFilled()
        guard let lab = try Lab(container) else {
            print("No package needs another one, so there is nothing to copy.")
            return
        }
        print("Two writers edit a copy of '\(lab.original)'; the first saves, then the second.\n")
        print(try lab.edits())
        print("\nOne of them deletes the copy, or both add a package of the same name.\n")
        print(try lab.deletionsAndTwins())
        print("\nWhat decided:\n")
        print(lab.reasons())
        try container.close()
    }
}
