import ArgumentParser
import DuramenQuery

/// `duramen predicate`
struct PredicateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "predicate",
        abstract: "Works with conditions in the language of format strings.",
        subcommands: [PredicateParseCommand.self])
}

/// `duramen predicate parse`
struct PredicateParseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse",
        abstract: "Prints what a format string says, as a tree and in its canonical form.",
        discussion: """
            The names in it are not checked: no model is looked at. A format string that begins with '-' \
            stands behind '--'.
            """)

    @Argument(help: .init("The format string.", valueName: "format"))
    var format: String

    @Option(
        parsing: .unconditional,
        help: .init("The values for its placeholders, as a JSON array.", valueName: "json"))
    var arguments: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        do {
            let list = try ArgumentList(arguments, knowsEntities: false)
            let predicate = try FetchPredicate(format: format, arguments: list.arguments)
            if json { return Screen.print(json: try PredicateReport.json(predicate)) }
            Screen.print(PredicateReport.lines(predicate))
        } catch let error as PredicateFormatError {
            throw FormatFailure(error)
        }
    }
}
