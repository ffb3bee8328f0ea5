import DocumentationSupport

/// The exceptions to the rules for sentences, as `ProseExceptions.txt` lists them.
struct ProseExceptions {
    struct Entry {
        /// A file, or `*` for all.
        var path: String
        /// The words that may stand there, or `*` for everything.
        var phrase: String
        var reason: String
    }

    var entries: [Entry]

    static func read() throws -> ProseExceptions {
        let rows = try Repository.text("Tests/DocumentationTests/ProseExceptions.txt")
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
        return ProseExceptions(
            entries: rows.map { row in
                let fields = row.split(separator: "|", omittingEmptySubsequences: false)
                    .map { String($0.drop(while: \.isWhitespace).trimmingSuffix(\.isWhitespace)) }
                return Entry(
                    path: fields[0], phrase: fields.count > 1 ? fields[1] : "",
                    reason: fields.count > 2 ? fields[2] : "")
            })
    }

    func skips(_ path: String) -> Bool {
        entries.contains { $0.phrase == "*" && $0.path == path }
    }

    func phrases(in path: String) -> [String] {
        entries.filter { $0.phrase != "*" && ($0.path == "*" || $0.path == path) }.map(\.phrase)
    }
}
