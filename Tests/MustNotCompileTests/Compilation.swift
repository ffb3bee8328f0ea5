/// What the compiler said.
struct Compilation: Sendable {
    let succeeded: Bool
    let output: String

    /// The errors and warnings, without notes. One inside a macro's expansion is where the macro
    /// is.
    var diagnostics: [Diagnostic] {
        let lines = output.split(separator: "\n")
        return lines.indices.compactMap { index in
            Diagnostic(line: lines[index])
                ?? (index + 1 < lines.count
                    ? Diagnostic(inExpansion: lines[index], at: lines[index + 1]) : nil)
        }
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
        let located = /(\/.+):(\d+):\d+: (error|warning): (.*)/
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

    /// Reads a line about a macro's expansion and the next one, which says where the macro is.
    init?(inExpansion text: Substring, at place: Substring) {
        guard let match = text.wholeMatch(of: /macro expansion .*: (error|warning): (.*)/),
            let origin = place.wholeMatch(of: /`- (\/.+):(\d+):\d+: note: expanded code .*/)
        else { return nil }
        file = String(origin.1)
        line = Int(origin.2) ?? 0
        severity = match.1 == "error" ? .error : .warning
        message = String(match.2)
    }

    var description: String { "\(file):\(line): \(severity.rawValue): \(message)" }
}
