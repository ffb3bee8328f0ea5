import ArgumentParser
import DuramenModel

/// The names of a command's subcommands, to find the intended one.
struct CommandNames {
    private let command: any ParsableCommand.Type
    private let path: String

    init(of command: any ParsableCommand.Type, path: String? = nil) {
        self.command = command
        self.path = path ?? command.configuration.commandName ?? ""
    }

    /// Checks that arguments start with the name of a subcommand, and with one of its own
    /// subcommands if it has any.
    ///
    /// - Throws: `ValidationError` that names the nearest subcommand.
    func check(_ arguments: ArraySlice<String>) throws {
        let known = command.configuration.subcommands
        // The parser handles options; it has its own subcommand `help`.
        guard !known.isEmpty, let name = arguments.first, !name.hasPrefix("-"), name != "help"
        else { return }
        if let next = known.first(where: { $0.configuration.commandName == name }) {
            return try CommandNames(of: next, path: "\(path) \(name)").check(arguments.dropFirst())
        }
        let names = known.compactMap { $0.configuration.commandName }
        let remedy =
            NearestName.of(name, among: names).map { "Did you mean '\($0)'?" }
            ?? "Use one of \(names.joined(separator: ", "))."
        throw ValidationError("'\(path)' has no command '\(name)'. \(remedy)")
    }
}
