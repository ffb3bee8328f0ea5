/// Pieces of the article tests, which the articles show:
/// ```
///   // snippet: saving.first
///   try context.save()
///   // end
/// ```
public struct Snippets {
    /// The folder with the code.
    public static let folder = "Tests/ArticleTests"

    /// The code by name, without the indentation that all its lines share.
    public private(set) var code: [String: String] = [:]

    /// Begins without snippets.
    public init() {}

    /// Reads the snippets of all article tests.
    public static func read() throws -> Snippets {
        var snippets = Snippets()
        for path in try Repository.files(in: folder, withExtension: "swift") {
            try snippets.add(try Repository.text(path), path: path)
        }
        return snippets
    }

    /// Adds the snippets of one file.
    public mutating func add(_ text: String, path: String) throws {
        var open: (name: String, lines: [Substring])?
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            let mark = line.drop { $0 == " " }
            if mark.hasPrefix("// snippet: ") {
                if let open {
                    throw DocumentationError(path, number, "snippet '\(open.name)' has no end")
                }
                open = (String(mark.dropFirst(12)), [])
            } else if mark == "// end", let found = open {
                guard code[found.name] == nil else {
                    throw DocumentationError(path, number, "there are two of '\(found.name)'")
                }
                code[found.name] = Self.unindented(found.lines)
                open = nil
            } else {
                open?.lines.append(line)
            }
        }
        if let open { throw DocumentationError(path, number, "snippet '\(open.name)' has no end") }
    }

    private static func unindented(_ lines: [Substring]) -> String {
        let depths = lines.filter { !$0.allSatisfy { $0 == " " } }.map {
            $0.prefix { $0 == " " }.count
        }
        let depth = depths.min() ?? 0
        return lines.map { $0.dropFirst(depth) }.joined(separator: "\n")
    }
}
