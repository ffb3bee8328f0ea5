/// How many stored properties the types of a file have, as far as the layout of its lines shows it.
enum StoredProperties {
    private struct Scope {
        let type: String
        let indent: Int
        var count = 0
    }

    static func counts(in file: SourceFile) -> [(type: String, count: Int)] {
        var open: [Scope] = []
        var found: [(type: String, count: Int)] = []
        for (index, line) in file.lines.enumerated() where !file.isComment(index) {
            let indent = line.prefix { $0 == " " }.count
            if line.dropFirst(indent).hasPrefix("}"), let scope = open.last,
                scope.indent == indent
            {
                found.append((scope.type, scope.count))
                open.removeLast()
            }
            if let match = line.firstMatch(of: /^ *[^"\/]*\b(?:class|struct|actor) (\w+)[^{]*\{$/) {
                let name = "\(file.path) \(match.output.1)"
                open.append(Scope(type: name, indent: indent))
            } else if let scope = open.last, indent == scope.indent + 4,
                isStored(line, before: file.lines.dropFirst(index + 1).first ?? "")
            {
                open[open.count - 1].count += 1
            }
        }
        return found
    }

    private static func isStored(_ line: Substring, before next: Substring) -> Bool {
        guard
            let match = line.firstMatch(
                of: /^ *(?:@\w+(?:\([^)]*\))? )*(?:\w+(?:\(\w+\))? )*?(var|let) (.*)$/),
            line.firstMatch(of: #/\b(static|class|func|case|if|guard)\s/#) == nil
        else { return false }
        if match.output.1 == "let" { return true }
        let rest = match.output.2
        if rest.hasSuffix("{") { return next.firstMatch(of: /^ *(didSet|willSet)/) != nil }
        // A value, or a closure that is one.
        guard let brace = rest.firstIndex(of: "{"), rest.hasSuffix("}") else { return true }
        return rest[..<brace].contains("=") || rest[brace...].contains("didSet")
    }
}
