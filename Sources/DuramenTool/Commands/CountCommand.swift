import ArgumentParser
import DuramenStore

/// `duramen count`
struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Prints how many objects of an entity fulfil a condition.")

    @OptionGroup var query: QueryArguments

    func run() throws {
        try query.run { store, query in
            Screen.print("\(try QueryExecution(query, on: store, in: store.snapshot()).count())")
        }
    }
}
