import ArgumentParser

/// The program `duramen`.
@main
struct DuramenTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duramen",
        abstract: "Looks after stores of Duramen and Core Data.",
        subcommands: [
            InfoCommand.self, FetchCommand.self, CountCommand.self, ExplainCommand.self,
            PredicateCommand.self,
        ])
}
