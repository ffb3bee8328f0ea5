import ArgumentParser
import DocumentationSupport
import Foundation

/// The steps of `Scripts/docs` that are not the compiler's or DocC's.
@main struct DocumentationTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "documentation-tool", abstract: "Prepares the documentation for DocC.",
        subcommands: [Modules.self, WriteSnippets.self, Prepare.self, Coverage.self])
}

/// Prints the modules that are documented.
struct Modules: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the modules of products, which users import.")

    func run() { print(PublicType.modules.joined(separator: "\n")) }
}

/// Shows the code of the tests in the articles.
struct WriteSnippets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snippets", abstract: "Writes the code of the article tests into the articles."
    )

    @Flag(help: "Only says which articles differ.") var check = false

    func run() throws {
        let snippets = try Snippets.read()
        var stale: [String] = []
        for article in try Article.all() {
            let text = try article.showing(snippets)
            if text == article.text { continue }
            stale.append(article.path)
            if check { continue }
            try Data(text.utf8).write(to: Repository.root.appending(path: article.path))
            print("wrote \(article.path)")
        }
        if check, !stale.isEmpty {
            throw ValidationError(
                "These do not show the code of the tests; run Scripts/docs: \(stale)")
        }
    }
}

/// Writes what DocC reads: one catalogue, and the symbol graphs.
struct Prepare: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Joins the catalogues, and lets links name modules.")

    @Argument(help: "The folder of the symbol graphs.") var symbols: String
    @Argument(help: "The folder to write to: Duramen.docc and symbols.") var output: String

    func run() throws {
        let graphs = try SymbolGraphs(in: URL(filePath: symbols))
        let folder = URL(filePath: output)
        let catalogue = folder.appending(path: "Duramen.docc")
        let written = folder.appending(path: "symbols")
        for place in [catalogue, written] {
            try FileManager.default.createDirectory(
                at: place, withIntermediateDirectories: true)
        }
        try graphs.write(to: written)
        for article in try Article.all() {
            // DocC looks for the links of an article in the first module, wherever the file is.
            let module = article.isLandingPage ? article.path.split(separator: "/")[1] : "Duramen"
            let text = graphs.qualifyingLinks(in: article.text, of: String(module))
            let place = catalogue.appending(path: "\(article.name).md")
            if Repository.exists(place) {
                throw ValidationError("There are two articles '\(article.name)'.")
            }
            try Data(text.utf8).write(to: place)
        }
        for path in try ["png", "svg"].flatMap({
            try Repository.files(in: "Sources", withExtension: $0)
        }) where path.contains(".docc/") {
            let source = Repository.root.appending(path: path)
            try FileManager.default.copyItem(
                at: source, to: catalogue.appending(path: source.lastPathComponent))
        }
    }
}

/// Fails when too many public declarations have no comment.
struct Coverage: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Requires a comment of every type and of 95 % of the members.")

    @Argument(help: "The folder of the symbol graphs.") var symbols: String

    func run() throws {
        let coverage = try SymbolGraphs(in: URL(filePath: symbols)).coverage()
        print(String(format: "%.1f %% of the members have a comment", coverage.share * 100))
        guard coverage.types.isEmpty, coverage.share >= 0.95 else {
            throw ValidationError(
                "Without a comment: \((coverage.types + coverage.members).joined(separator: ", "))")
        }
    }
}
