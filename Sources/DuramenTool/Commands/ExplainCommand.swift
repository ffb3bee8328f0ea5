import ArgumentParser
import DuramenStore

/// `duramen explain`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Prints which part of a fetch the store answers itself, and how.",
        discussion: """
            Values are shown as '?'. The library does the parts that the store cannot answer, with the rows \
            that the store returns.
            """)

    @OptionGroup var query: QueryArguments
    @OptionGroup var window: WindowArguments

    func run() throws {
        try query.run { store, query in
            var query = query
            window.apply(to: &query)
            let execution = try QueryExecution(query, on: store, in: store.snapshot())
            let lines = try execution.explanation().description.split(
                separator: "\n", omittingEmptySubsequences: false)
            Screen.print(lines.map(String.init))
        }
    }
}
