import DuramenFileStore
import DuramenStore
import Foundation

/// The program's output: everything is printed here, so that no text from a file can control the
/// terminal.
enum Screen {
    /// Prints readable lines. Control characters within a line are escaped.
    static func print(_ lines: String...) { print(lines) }

    /// Prints readable lines. Control characters within a line are escaped.
    static func print(_ lines: [String]) {
        Swift.print(lines.map { PlainLine($0).text }.joined(separator: "\n"))
    }

    /// Prints readable lines; nothing for an empty list.
    static func print(lines: [String]) { if !lines.isEmpty { print(lines) } }

    /// Prints readable text of several lines, which its line feeds separate.
    static func print(text: String) { Swift.print(PlainLine.lines(of: text)) }

    /// Prints JSON, with every control character in its texts escaped.
    static func print(json: String) { Swift.print(JSONText.escapingControls(json)) }

    /// Prints a file's text unchanged, or with escapes on a terminal.
    static func print(file: String) { Swift.print(exact(file), terminator: "") }

    /// Prints a line on standard error, so that the output can be a file.
    static func printNote(_ line: String) { printError(text: PlainLine(line).text) }

    /// Prints text of several lines on standard error.
    static func printError(text: String) {
        FileHandle.standardError.write(Data((PlainLine.lines(of: text) + "\n").utf8))
    }

    /// Returns the text unchanged, or with escapes if the output is a terminal.
    static func exact(_ text: String) -> String {
        SystemCalls.isTerminal(1) ? PlainLine.lines(of: text) : text
    }
}
