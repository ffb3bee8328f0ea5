/// What the compiler said.
struct Compilation: Sendable {
    let succeeded: Bool
    let output: String

    /// The errors and warnings, without notes.
    var diagnostics: [Diagnostic] {
        output.split(separator: "\n").compactMap { Diagnostic(line: $0) }
    }
}

/// One error or warning.
struct Diagnostic: Sendable, CustomStringConvertible {
    enum Severity: String, Sendable {
        case error, warning
    }

    /// The file as the compiler names it; empty for what concerns no file.
    let file: String
    let line: Int
    let severity: Severity
    let message: String

    /// Reads `path:line:column: severity: message`; nil for all other lines.
    init?(line text: Substring) {
        let located = /(.+):(\d+):\d+: (error|warning): (.*)/
        let unlocated = /(?:<unknown>:0: )?(error|warning): (.*)/
        if let match = text.wholeMatch(of: located) {
            file = String(match.1)
            line = Int(match.2) ?? 0
            severity = match.3 == "error" ? .error : .warning
            message = String(match.4)
        } else if let match = text.wholeMatch(of: unlocated) {
            file = ""
            line = 0
            severity = match.1 == "error" ? .error : .warning
            message = String(match.2)
        } else {
            return nil
        }
    }

    var description: String { "\(file):\(line): \(severity.rawValue): \(message)" }
}
