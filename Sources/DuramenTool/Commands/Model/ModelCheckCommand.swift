import ArgumentParser
import DuramenModelFile

/// `duramen model check`
struct ModelCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract:
            "Checks that shipped versions were not edited, and sources against the models beside them.",
        discussion: """
            Looks at the model files and the Swift sources of folders, such as those of targets. Versions that are frozen in \
            a bundle's checksums.lock, or in files NAME.duramenmodel, must be unchanged. Format strings of FetchPredicate, names of entities, and key paths of orders, \
            sections and prefetching must fit the current version.
            """)

    @Argument(help: "Folders with models and sources.")
    var folders: [String]

    @Flag(help: "Freeze the versions that are not frozen yet, before.")
    var freeze = false

    func run() throws {
        var errorCount = 0
        do throws(ModelFileError) {
            for folder in folders {
                let check = try TargetCheck(folder: folder, freezes: freeze)
                Screen.print(lines: check.lines)
                errorCount += check.errorCount
            }
        } catch {
            throw ModelFailure(error)
        }
        if errorCount > 0 { throw ExitCode(1) }
    }
}
