import DocumentationSupport
import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

enum PerformanceModel {
    // snippet: performance.index
    @Managed(indexes: [["genre", "title"]])
    final class Record: ManagedObject {
        @Attribute(.unique) var number: String
        @Attribute(.indexed) var released: Date
        var genre: String = ""
        var title: String = ""
    }
    // end
}

/// What the article says of performance; its figures are those of the benchmarks.
@MainActor struct PerformanceTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    /// Three books of one author, of which the view context has none in memory.
    init() throws {
        container = try Library.container()
        context = container.viewContext
        try container.newBackgroundContext().performAndWait { context in
            let author = Author(context: context)
            author.name = "Stanisław Lem"
            for (isbn, title) in [("1", "Eden"), ("2", "Fiasco"), ("3", "Solaris")] {
                let book = Book(context: context)
                (book.isbn, book.title, book.author) = (isbn, title, author)
                book.pages = 300
            }
            try context.save()
        }
    }

    @Test func relatedObjectsComeInGroups() throws {
        var names: [String] = []
        try context.expectRoundTrips(atMost: 2) {
            // snippet: performance.groups
            for book in try context.fetch(FetchRequest<Book>().prefetching(\.author)) {
                names.append(book.author?.name ?? "unknown")
            }
            // end
        }
        #expect(names.count == 3 && Set(names) == ["Stanisław Lem"])
    }

    @Test func valuesAreFetchedWithoutObjects() async throws {
        // snippet: performance.values
        let books = try await container.fetch(Book.Values.self, FetchRequest().sorted(by: \.title))
        let lengths = try await container.fetch(FetchRequest<Book>().select(\.title, \.pages))
        // end
        #expect(books.map(\.title) == ["Eden", "Fiasco", "Solaris"] && lengths.count == 3)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func anIndexAnswers() throws {
        typealias Record = PerformanceModel.Record
        let path = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString).sqlite").path
        defer { try? SQLiteStoreType().destroy(.sqlite(path)) }
        let container = try PersistentContainer.open(
            model: ManagedObjectModel(Record.self), stores: [.sqlite(path)])
        func steps(_ request: FetchRequest<Record>) throws -> String {
            let explanation = try container.viewContext.explain(request)
            return explanation.first.map(\.description) ?? ""
        }
        let byGenre = try steps(
            FetchRequest<Record>().where { $0.genre == "jazz" }.sorted(by: \.title))
        #expect(byGenre.contains("INDEX") && !byGenre.contains("TEMP B-TREE"))
        let byDate = try steps(FetchRequest<Record>().sorted(by: \.released).limit(50))
        #expect(byDate.contains("INDEX") && !byDate.contains("TEMP B-TREE"))
        let byTitle = try steps(FetchRequest<Record>().sorted(by: \.title).limit(50))
        #expect(byTitle.contains("TEMP B-TREE"))
        try container.close()
    }

    @Test func pagesBeginBehindAnObject() throws {
        let first = FetchRequest<Book>().sorted(by: \.title).limit(2)
        let books = try context.fetch(first)
        let last = try #require(books.last)
        // snippet: performance.page
        let next = try context.fetch(first.after(last))
        // end
        #expect(next.map(\.title) == ["Solaris"])
    }

    @Test func aListFollows() async throws {
        // snippet: performance.list
        let books = try FetchedResults(FetchRequest<Book>().sorted(by: \.title), in: context)
        // end
        #expect(books.objects?.count == 3)
        try await container.performBackgroundTask { context in
            let book = Book(context: context)
            (book.isbn, book.title) = ("4", "Summa")
            try context.save()
        }
        #expect(books.objects?.map(\.title).last == "Summa")
    }

    @Test func anIDNeedsNoQuery() throws {
        let known = try #require(try context.fetch(FetchRequest<Book>()).first)
        let id = known.objectID
        try context.expectRoundTrips(atMost: 0) {
            // snippet: performance.id
            let book = try context.existingObject(with: id, as: Book.self)
            // end
            #expect(book === known)
        }
    }

    @Test func changesAreSavedTogether() throws {
        try context.expectRoundTrips(atMost: 2) {
            // snippet: performance.save
            for book in try context.fetch(FetchRequest<Book>()) { book.pages += 1 }
            try context.save()
            // end
        }
        #expect(try context.count(for: FetchRequest<Book>().where { $0.pages == 301 }) == 3)
    }

    @Test func longListsAreWalked() throws {
        var pages = 0
        // snippet: performance.lazy
        let all = try context.fetchLazily(FetchRequest<Book>().batches(of: 500))
        for book in all { pages += book.pages }
        // end
        #expect(pages == 900 && all.count == 3)
    }

    @Test func theOwnerNeedNotWait() async throws {
        // snippet: performance.off-owner
        let long = try await context.fetchOffOwner(FetchRequest<Book>().where { $0.pages > 200 })
        // end
        #expect(long.count == 3)
    }

    @Test func countersCountWork() throws {
        var lines: [String] = []
        func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }
        // snippet: performance.counters
        let counters = container.persistentStoreCoordinator.store.counters
        let (statements, rows) = (counters.statements, counters.rowsDecoded)
        for book in try context.fetch(FetchRequest<Book>()) { _ = book.author?.name }
        print(counters.statements - statements, "statements,", counters.rowsDecoded - rows, "rows")
        // end
        #expect(
            try lines.joined(separator: "\n")
                == Article.named("Performance").output("performance.counters"))
        #expect(container.persistentStoreCoordinator.faultCount == 1)
    }

    @Test func storesExplain() throws {
        var lines: [String] = []
        func print(_ item: Any) { lines.append("\(item)") }
        // snippet: performance.explain
        let request = FetchRequest<Book>().where { $0.pages > 300 }.sorted(by: \.title).limit(50)
        for explanation in try context.explain(request) { print(explanation) }
        // end
        #expect(
            try lines.joined(separator: "\n")
                == Article.named("Performance").output("performance.explain"))
    }

    @Test func aTestHasABudget() throws {
        // snippet: performance.budget
        try context.expectRoundTrips(atMost: 2) {
            for book in try context.fetch(FetchRequest<Book>()) { _ = book.author?.name }
        }
        // end
    }
}
