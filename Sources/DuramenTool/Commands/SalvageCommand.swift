import ArgumentParser
import DuramenModel
import DuramenStore

/// `duramen salvage`
struct SalvageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Copies what can be read of a damaged store into a new one.",
        discussion: """
            The damaged store is only read, and nobody may have it open. Prints checksums of the new \
            store, and what was lost. Exits with 1 when something was lost.
            """)

    @Argument(help: "The damaged store: a path, 'sqlite:PATH' or 'lmdb:PATH'.")
    var store: String

    @Argument(
        help: """
            The store to make: a path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.
            """)
    var destination: String

    @OptionGroup var model: ModelArguments

    func run() throws {
        do throws(StoreError) {
            let damaged = NamedStore(store)
            var new = try NamedStore(destination).description
            if !NamedStore.namesKind(destination) {
                // A store that does not exist does not tell its kind.
                let location = new.location
                new = try damaged.description
                new.location = location
            }
            let report = try damaged.description.salvage(
                into: new, model: model.isGiven ? try model.model(for: damaged) : nil)
            Screen.print(ChecksumTable(report.checksums).lines)
            if report.losses.isEmpty { return }
            Screen.print(["", "lost"] + report.losses.map { "  " + $0 })
            throw StoreError(
                .damagedFile,
                "\(report.losses.count) parts of the store could not be read; the others are in '\(new.location)'."
            )
        } catch {
            throw StoreFailure(error)
        }
    }
}
