import Testing

/// Prose ends at column 100, where the formatter ends code. Tables and code keep their lines.
struct WidthTests {
    private static let width = 100

    @Test func commentsWrapAtColumn100() {
        let folders = [
            "Sources", "Tests", "Examples", "Benchmarks", "Torture", "Fuzzing", "Plugins",
        ]
        let files = SourceFile.swiftFiles(in: folders)
        #expect(files.count > 500)
        #expect(files.flatMap(Self.wideComments) == [])
    }

    @Test func markdownWrapsAtColumn100() {
        let folders = ["docs", "Sources", "Examples", "Benchmarks", "Torture", "Fuzzing"]
        var files = SourceFile.files(in: folders) { $0.hasSuffix(".md") }
        files += ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].compactMap(SourceFile.init(at:))
        #expect(files.count > 50)
        #expect(files.flatMap(Self.wideLines) == [])
    }

    private static func wideComments(of file: SourceFile) -> [String] {
        var prose = Prose()
        return file.lines.indices.filter { index in
            let line = file.lines[index]
            guard file.isComment(index) else {
                prose = Prose()
                return false
            }
            let text = line.drop { $0 == " " }.drop { $0 == "/" }.dropFirst()
            // A name or an address cannot be broken.
            return prose.includes(text) && line.count > width && text.contains(" ")
        }.map { "\(file.path):\($0 + 1)" }
    }

    private static func wideLines(of file: SourceFile) -> [String] {
        var prose = Prose()
        return file.lines.indices.filter { index in
            let line = file.lines[index]
            let text = line.drop { " -".contains($0) }
            return prose.includes(line) && line.count > width && text.contains(" ")
        }.map { "\(file.path):\($0 + 1)" }
    }

    /// Tells prose from tables and code while it reads a text line by line.
    private struct Prose {
        private var isFenced = false

        mutating func includes(_ line: Substring) -> Bool {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("```") {
                isFenced.toggle()
                return false
            }
            // A test reads what the compiler is expected to say from one line.
            if text.hasPrefix("expected") || text.hasPrefix("warns:") { return false }
            return !isFenced && !text.hasPrefix("|") && !line.hasPrefix("    ")
        }
    }
}
