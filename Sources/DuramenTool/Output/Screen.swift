import DuramenFileStore
import DuramenStore
import Foundation

/// Where the program prints: everything goes through here, so that nothing in a file or in its name
/// can do more to a terminal than to be shown.
enum Screen {
    /// Prints lines for people. Control characters within a line are shown as escapes.
    static func print(_ lines: String...) { print(lines) }

    /// Prints lines for people. Control characters within a line are shown as escapes.
    static func print(_ lines: [String]) {
        Swift.print(lines.map { PlainLine($0).text }.joined(separator: "\n"))
    }

    /// Prints lines for people; nothing when there are none.
    static func print(lines: [String]) { if !lines.isEmpty { print(lines) } }

    /// Prints text of several lines for people. Line feeds in it are what ends its lines.
    static func print(text: String) { Swift.print(PlainLine.lines(of: text)) }

    /// Prints JSON, in whose texts every control character is escaped.
    static func print(json: String) { Swift.print(JSONText.escapingControls(json)) }

    /// Prints a file's text as it is, or with escapes when it goes to a terminal.
    static func print(file: String) { Swift.print(exact(file), terminator: "") }

    /// Prints a line beside the output, so that the output can be a file.
    static func printNote(_ line: String) { printError(text: PlainLine(line).text) }

    /// Prints text of several lines beside the output.
    static func printError(text: String) {
        FileHandle.standardError.write(Data((PlainLine.lines(of: text) + "\n").utf8))
    }

    /// The text as it is, or with escapes when the output is a terminal.
    static func exact(_ text: String) -> String {
        SystemCalls.isTerminal(1) ? PlainLine.lines(of: text) : text
    }
}
