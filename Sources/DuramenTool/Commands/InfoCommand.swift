import ArgumentParser
import DuramenModel
import DuramenStore

/// `duramen info`
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Prints what a store holds: its entities, how many rows they have, its metadata.",
        discussion: """
            Reads a store of Duramen (SQLite, LMDB or PostgreSQL) or of Core Data (SQLite), which may \
            be in use, and changes nothing in it. Exits with 0, with 1 when the store cannot be read, \
            and with 64 when the arguments are wrong.
            """)

    @Argument(help: "A path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.")
    var store: String

    @OptionGroup var model: ModelArguments

    @Flag(help: "Also look for references to rows, and for files of values, that are missing.")
    var check = false

    @Flag(help: "Also list in what an SQLite store differs from files that Core Data makes.")
    var apple = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        do throws(StoreError) {
            let named = NamedStore(store)
            let chosen: ManagedObjectModel? = model.isGiven ? try model.model(for: named) : nil
            var report = try named.report(model: chosen, checks: check)
            if apple { report.differencesFromCoreData = try named.differencesFromCoreData(chosen) }
            if json { return Screen.print(json: try JSONReport.text(report)) }
            Screen.print(TextReport(report).lines)
        } catch {
            throw StoreFailure(error)
        }
    }
}
