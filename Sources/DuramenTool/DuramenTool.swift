import ArgumentParser

/// The program `duramen`.
struct DuramenTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duramen",
        abstract: "Looks after stores and models of Duramen and Core Data.",
        subcommands: [
            InfoCommand.self, FetchCommand.self, CountCommand.self, ExplainCommand.self,
            PredicateCommand.self, HistoryCommand.self, ModelCommand.self, VerifyCommand.self,
            ConvertCommand.self, MigrateCommand.self,
        ])
}

/// Runs the program with the arguments of the process.
package func runDuramen() { DuramenTool.main() }
