import ArgumentParser
package import DuramenStore
import Foundation

/// The program `duramen`.
struct DuramenTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duramen",
        abstract: "Looks after stores and models of Duramen and Core Data.",
        discussion: "'duramen --version' prints the version of this program.",
        subcommands: [
            InfoCommand.self, FetchCommand.self, CountCommand.self, ExplainCommand.self,
            PredicateCommand.self, HistoryCommand.self, ModelCommand.self, VerifyCommand.self,
            BackupCommand.self, RestoreCommand.self, SalvageCommand.self, ConvertCommand.self,
            ExportCommand.self, ImportCommand.self, MigrateCommand.self, SchemaCommand.self,
        ])
}

/// Runs the program with the arguments of the process.
///
/// - Parameter kinds: The kinds of stores that the program knows beside those in files.
package func runDuramen(kinds: [any InspectableStoreType] = []) {
    StoreKinds.add(kinds)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let message = OtherProgram.takeOver(arguments) {
        Screen.printError(text: "Error: " + message)
        exit(ExitCode.failure.rawValue)
    }
    // `CommandConfiguration.version` would conflict with the option `--version` of commands, which
    // chooses a model's version.
    if arguments == ["--version"] { return Screen.print("duramen \(ToolVersion.text)") }
    do {
        try CommandNames(of: DuramenTool.self).check(arguments[...])
        var command = try DuramenTool.parseAsRoot(arguments)
        try command.run()
    } catch {
        // Like `DuramenTool.exit(withError:)`, which would print messages without escapes.
        let code = DuramenTool.exitCode(for: error)
        let message = DuramenTool.fullMessage(for: error)
        if !message.isEmpty {
            if code.isSuccess {
                Screen.print(text: message)
            } else {
                Screen.printError(text: message)
            }
        }
        exit(code.rawValue)
    }
}
