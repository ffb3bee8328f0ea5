import ArgumentParser
import DuramenModel
import DuramenStore

/// `duramen export`
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes what a store holds as JSON Lines, a file for each entity.",
        discussion: """
            Reads one state of the store, which others may use. The folder also gets the model and a \
            list with checksums. 'duramen import' makes a store of it that is equal, with the same \
            keys. Each file can also be imported alone, by natural keys.
            """)

    @Argument(
        help: """
            The store to read: a path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.
            """)
    var store: String

    @Argument(help: "The folder to make.")
    var folder: String

    @OptionGroup var model: ModelArguments

    @Flag(help: "Export the values of confidential attributes too.")
    var showConfidential = false

    func run() throws {
        do throws(StoreError) {
            let opened = try model.open(NamedStore(store))
            let leftOut =
                showConfidential ? [] : ExportedProperties.confidential(in: opened.model)
            if !leftOut.isEmpty {
                Screen.printNote(
                    "note: left out, since they are confidential: \(leftOut.joined(separator: ", ")). Give "
                        + "--show-confidential to export them.")
            }
            try ExportFolder(folder).make { (folder) throws(StoreError) in
                let writer = try ExportWriter(opened, leavesOutConfidential: !showConfidential)
                let checksums = try writer.write(to: folder)
                Screen.print(ChecksumTable(checksums).lines)
            }
            try opened.close()
        } catch {
            throw StoreFailure(error)
        }
    }
}
