import DocumentationSupport

/// The texts that a user of the library reads: documents, messages, and summaries of public
/// declarations.
enum ReadTexts {
    static let documents = [
        "README.md", "CHANGELOG.md", "docs/errors.md", "docs/meet-duramen.md",
    ]
    /// The cases of the conformance suite, whose literals are names and labels of checks.
    static let labels = "Sources/DuramenTestKit/Cases/"

    /// The sentences of all texts, read once.
    static func sentences() throws -> [Sentence] { try all.get() }

    private static let all = Result { try read() }

    private static func read() throws -> [Sentence] {
        var sentences: [Sentence] = []
        for path in documents {
            sentences += inDocument(try Repository.text(path), path: path)
        }
        for path in try Repository.files(in: "Sources", withExtension: "swift") {
            let source = try Repository.text(path)
            sentences += inSummaries(source, path: path)
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

    /// The first paragraphs of the comments of public declarations.
    static func inSummaries(_ source: String, path: String) -> [Sentence] {
        var sentences: [Sentence] = []
        var comment: [Substring] = []
        var start = 1
        // Cases and requirements are as public as their type and do not say so.
        var isInOpenType = false
        for (index, row) in source.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = row.drop(while: \.isWhitespace)
            if row.hasPrefix("public "), row.hasSuffix("{") {
                isInOpenType = row.contains(" protocol ") || row.contains(" enum ")
            } else if row.hasPrefix("}") {
                isInOpenType = false
            }
            if line.hasPrefix("///") {
                if comment.isEmpty { start = index + 1 }
                comment.append(line.dropFirst(3).drop(while: \.isWhitespace))
                continue
            }
            if comment.isEmpty || isAttribute(line) { continue }
            if isPublic(line) || isInOpenType && isMember(line) {
                let summary = comment.prefix { !$0.isEmpty }.joined(separator: " ")
                sentences += Sentence.all(in: summary, path: path, line: start)
            }
            comment = []
        }
        return sentences
    }

    private static func isMember(_ line: Substring) -> Bool {
        line.contains(/^(?:\w+ )*(?:case|func|var|init|associatedtype)\b/)
    }

    private static func isPublic(_ line: Substring) -> Bool {
        (line.contains("public ") || line.contains("open "))
            && line.contains(#/^(?:@\w+(?:\([^)]*\))? )*(?:\w+ )*?(?:public|open) /#)
    }

    /// Whether a line has nothing but an attribute of the declaration below it.
    private static func isAttribute(_ line: Substring) -> Bool {
        line.hasPrefix("@") && line.wholeMatch(of: /@\w+(?:\(.*\))?/) != nil
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
