import DocumentationSupport

/// The texts that a user of the library reads: documents, messages, and summaries of public
/// declarations.
enum ReadTexts {
    /// The documents at the root, those of `docs`, and the articles.
    static func documents() throws -> [String] {
        let folders = try ["docs", "Sources", "Examples", "Benchmarks", "Torture"].flatMap {
            try Repository.files(in: $0, withExtension: "md")
        }
        return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"] + folders
    }

    /// The cases of the conformance suite, whose literals are names and labels of checks.
    static let labels = "Sources/DuramenTestKit/Cases/"

    /// The sentences of all texts, read once.
    static func sentences() throws -> [Sentence] { try all.get() }

    private static let all = Result { try read() }

    private static func read() throws -> [Sentence] {
        var sentences: [Sentence] = []
        for path in try documents() {
            sentences += inDocument(try Repository.text(path), path: path)
        }
        for path in try Repository.files(in: "Sources", withExtension: "swift") {
            let source = try Repository.text(path)
            sentences += inComments(source, path: path)
            if !path.hasPrefix(labels) { sentences += inMessages(source, path: path) }
        }
        return sentences
    }

    /// The sentences of a Markdown document without its headings and blocks of code.
    static func inDocument(_ text: String, path: String) -> [Sentence] {
        var sentences: [Sentence] = []
        var paragraph = ""
        var start = 1
        var isCode = false
        func end() {
            sentences += Sentence.all(in: paragraph, path: path, line: start)
            paragraph = ""
        }
        for (index, row) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = row.drop(while: \.isWhitespace)
            if line.hasPrefix("```") {
                end()
                isCode.toggle()
                continue
            }
            if isCode { continue }
            let isIndentedCode = paragraph.isEmpty && row.hasPrefix("    ")
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix("<") || isIndentedCode {
                end()
                continue
            }
            if line.hasPrefix("|") {
                for cell in line.split(separator: "|") {
                    sentences += Sentence.all(in: String(cell), path: path, line: index + 1)
                }
                continue
            }
            if line.prefixMatch(of: #/(?:[-*]|\d+\.) /#) != nil { end() }
            if paragraph.isEmpty { start = index + 1 }
            paragraph += line.replacing(#/^(?:[-*]|\d+\.) /#, with: "") + " "
        }
        end()
        return sentences
    }

    /// The sentences of all comments, without code, tables, marks and proofs.
    static func inComments(_ source: String, path: String) -> [Sentence] {
        var sentences: [Sentence] = []
        var paragraph = ""
        var start = 1
        var isCode = false
        func end() {
            sentences += Sentence.all(in: paragraph, path: path, line: start)
            paragraph = ""
        }
        for (index, row) in source.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = row.drop(while: \.isWhitespace)
            guard line.hasPrefix("//") else {
                end()
                isCode = false
                continue
            }
            let indented = line.drop { $0 == "/" }.dropFirst()
            let text = indented.drop(while: \.isWhitespace)
            if text.hasPrefix("```") {
                end()
                isCode.toggle()
                continue
            }
            let isNoProse = indented.hasPrefix("    ") || text.hasPrefix("|") || text.isEmpty
            if isCode || isNoProse || text.hasPrefix("MARK: ") || text.hasPrefix("swift-format") {
                end()
                continue
            }
            if text.prefixMatch(of: #/(?:[-*]|\d+\.) /#) != nil { end() }
            if paragraph.isEmpty { start = index + 1 }
            paragraph +=
                text.replacing(#/^(?:[-*]|\d+\.) (?:Parameters?(?: \w+)?:|\w+:)? ?/#, with: "")
                + " "
        }
        end()
        return sentences
    }

    /// The messages of a source: string literals that read as sentences.
    static func inMessages(_ source: String, path: String) -> [Sentence] {
        SwiftLiterals.all(in: source).flatMap { literal in
            literal.text.split(separator: "\n\n")
                .filter { isProse($0) }
                .flatMap { Sentence.all(in: String($0), path: path, line: literal.line) }
        }
    }

    /// At least four words, most of them of small letters as no statement of SQL has them, and no
    /// signs of code.
    private static func isProse(_ text: Substring) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace)
        let small = words.filter { $0.allSatisfy { $0.isLowercase || ".,;:'".contains($0) } }
        return words.count >= 4 && small.count * 2 > words.count
            && !text.contains(/[{};]\s*$|\bSELECT\b|\bINSERT\b|\bCREATE\b/)
    }
}
