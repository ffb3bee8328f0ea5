/// A page of a documentation catalogue: an article, or the landing page of a module.
///
/// A comment before a block of code names where the block comes from:
/// ```
///   <!-- snippet: saving.first -->     code of a test, see ``Snippets``
///   <!-- output: saving.first -->      what a test compares with what it printed
/// ```
public struct Article {
    /// The path from the package's root.
    public let path: String
    /// The Markdown.
    public let text: String

    /// Takes a page.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// The pages of all catalogues.
    public static func all() throws -> [Article] {
        try Repository.files(in: "Sources", withExtension: "md")
            .filter { $0.contains(".docc/") }
            .map { Article(path: $0, text: try Repository.text($0)) }
    }

    /// The name of the file without its extension.
    public var name: Substring {
        let file = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        return file.dropLast(3)
    }

    /// Whether the page introduces a module: its heading is a symbol.
    public var isLandingPage: Bool { text.hasPrefix("# ``") }

    /// The words of the page without code, tables and headings.
    public var wordCount: Int {
        var count = 0
        var isCode = false
        for line in text.split(separator: "\n") {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
            } else if !isCode, !line.hasPrefix("|"), !line.hasPrefix("#"), !line.hasPrefix("<!--") {
                count += line.split(separator: " ").count { $0.contains(where: \.isLetter) }
            }
        }
        return count
    }

    /// The names of the snippets that the page shows.
    public var snippetNames: [String] {
        text.matches(of: /(?m)^ *<!-- snippet: (\S+) -->$/).map { String($0.output.1) }
    }

    /// The page with the code of the snippets that it names.
    public func showing(_ snippets: Snippets) throws -> String {
        var result: [Substring] = []
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.popFirst() {
            result.append(line)
            guard let mark = line.wholeMatch(of: /( *)<!-- snippet: (\S+) -->/) else { continue }
            let name = String(mark.output.2)
            guard let code = snippets.code[name] else {
                throw DocumentationError(path, nil, "no test has the snippet '\(name)'")
            }
            guard let fence = lines.popFirst(), fence.drop(while: { $0 == " " }) == "```swift",
                let end = lines.firstIndex(where: { $0.drop(while: { $0 == " " }) == "```" })
            else {
                throw DocumentationError(path, nil, "a block ```swift must follow '\(name)'")
            }
            result.append(fence)
            for row in code.split(separator: "\n", omittingEmptySubsequences: false) {
                result.append(row.isEmpty ? row : mark.output.1 + row)
            }
            lines = lines[end...]
        }
        return result.joined(separator: "\n")
    }

    /// The block of output with a name.
    public func output(_ name: String) throws -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let mark = lines.firstIndex(of: "<!-- output: \(name) -->"),
            lines.indices.contains(mark + 1), lines[mark + 1].hasPrefix("```"),
            let end = lines[(mark + 2)...].firstIndex(of: "```")
        else { throw DocumentationError(path, nil, "has no block of output '\(name)'") }
        return lines[(mark + 2)..<end].joined(separator: "\n")
    }
}
