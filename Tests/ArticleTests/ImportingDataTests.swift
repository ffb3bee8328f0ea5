import DocumentationSupport
import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

@MainActor struct ImportingDataTests {
    private static let json = Data(
        """
        {"items": [
          {"isbn": "1", "fullTitle": "Solaris", "pages": 204, "author": {"name": "Lem"}},
          {"isbn": "2", "fullTitle": "Kindred", "author": "Butler", "published": "1979-06-01"},
          {"isbn": "3", "fullTitle": "Eden", "pages": "many", "author": "Lem"}
        ]}
        """.utf8)

    @Test func aFeedIsImportedTwice() throws {
        let context = try Library.container().viewContext
        let json = Self.json
        // snippet: importing.first
        let feed = ImportFeed.json(json, at: "/items")
        let report = try context.import(from: feed, into: Book.self) {
            $0.match(\.isbn)
            $0.rename("fullTitle", to: \.title)
            $0.relationship(\.author) { $0.match(\.name) }
        }
        // end
        #expect(report.entities["Book"]?.inserted == 2)
        #expect(report.entities["Author"]?.inserted == 2)
        var lines: [String] = []
        func print(_ text: String) { lines.append(text) }
        // snippet: importing.report
        print("\(report)")
        for failure in report.failures {
            print("\(failure)")
        }
        // end
        #expect(
            lines.joined(separator: "\n")
                == (try Article.named("ImportingData").output("importing.report")))
        let second = try context.import(from: feed, into: Book.self) {
            $0.match(\.isbn)
            $0.rename("fullTitle", to: \.title)
            $0.relationship(\.author) { $0.match(\.name) }
        }
        #expect(second.inserted == 0 && second.updated == 0)
    }

    @Test func mappingsSayTheRest() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let feed = ImportFeed.jsonLines(
            Data(
                """
                {"id": {"isbn": "1"}, "title": "The Lathe of Heaven", "released": 36000}
                {"id": {"isbn": "4"}, "title": "Rocannon's World", "released": -120000000000}
                """.utf8))
        // snippet: importing.mapping
        try context.import(from: feed, into: Book.self) {
            $0.rename("/id/isbn", to: \.isbn)
            $0.rename("released", to: \.published)
            $0.date(.millisecondsSince1970)
            $0.ignore(\.genre)
            $0.missing(.setNil, for: \.author)
        }
        // end
        let books = try context.fetch(FetchRequest<Book>().sorted(by: \.isbn))
        #expect(books.count == 4 && books[0].author == nil && books[1].author != nil)
        #expect(books[0].published == Date(timeIntervalSince1970: 36) && books[0].pages == 184)
        #expect(books[3].title == "Rocannon's World")
    }

    @Test func optionsGuideALongImport() throws {
        let container = try Library.container()
        let context = container.viewContext
        let rows = (0..<2_500).map { ["isbn": "\($0)", "title": "Book \($0)"] }
        let feed = ImportFeed.values(rows)
        let flag = CancellationFlag()
        // snippet: importing.options
        var options = ImportOptions()
        options.chunkSize = 500
        options.cancellation = flag
        options.progress = { progress in
            if progress.report.elementCount >= 1_000 { flag.cancel() }
        }
        do {
            try context.import(from: feed, into: Book.self, options: options)
        } catch let error as ImportError where error.code == .cancelled {
            var rest = ImportOptions()
            rest.start = error.position
            try context.import(from: feed, into: Book.self, options: rest)
        }
        // end
        #expect(try context.count(for: FetchRequest<Book>()) == 2_500)
    }

    @Test func aContainerImportsInTheBackground() async throws {
        let container = try Library.container()
        let path = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString).jsonl").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(#"{"isbn": "1", "title": "Solaris"}"#.utf8).write(to: URL(filePath: path))
        // snippet: importing.background
        let report = try await container.import(from: .file(path), into: Book.self) {
            $0.match(\.isbn)
        }
        // end
        #expect(report.inserted == 1)
    }
}
