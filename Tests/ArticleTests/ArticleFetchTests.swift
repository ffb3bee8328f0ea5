import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

/// What the article says of fetching.
@MainActor struct ArticleFetchTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try Library.filled()
        context = container.viewContext
    }

    @Test func requestsSayWhatCoreDataSays() throws {
        let text = "the"

        // snippet: coredata.fetch
        var request = FetchRequest<Book>()
        request.predicate = try FetchPredicate("pages >= %@ AND title BEGINSWITH[cd] %@", 200, text)
        request.sortDescriptors = [FetchSortDescriptor("pages", ascending: false)]
        request.fetchLimit = 10
        let formatted = try context.fetch(request)

        let typed = try context.fetch(
            FetchRequest<Book>().where { $0.pages >= 200 && $0.title.beginsWith("The") }
                .sorted(by: \.pages, .descending).limit(10))
        // end

        #expect(formatted.map(\.pages) == [341, 304] && typed == formatted)
    }

    @Test func aLimitOfZeroGivesNoRows() throws {
        #expect(try context.fetch(FetchRequest<Book>().limit(0)).isEmpty)
        #expect(try context.count(for: FetchRequest<Book>().limit(0)) == 0)
        var request = FetchRequest<Book>()
        request.fetchLimit = nil
        #expect(try context.count(for: request) == 3)
    }

    @Test func loadingIsUnderControl() throws {
        let shelf = try context.fetch(FetchRequest<Book>().prefetching(\.author, \.books))
        try context.faulting(.forbidden) {
            for book in shelf { print(book.title, book.author?.books.count ?? 0) }
        }
        try context.expectRoundTrips(atMost: 1) {
            _ = try context.fetch(FetchRequest<Book>())
        }
        let all = try context.fetchLazily(FetchRequest<Book>().batches(of: 50))
        #expect(Array(all) == shelf)
    }

    @Test func valuesNeedNoContext() async throws {
        let books = try await container.fetch(Book.Values.self, FetchRequest().sorted(by: \.title))
        let titles = try await container.fetch(FetchRequest<Book>().select(\.title, \.pages))
        let perAuthor = try await container.fetch(
            FetchRequest<Book>().select(\.author, aggregating: .count, .max(\.pages)))

        let objects = try context.fetch(FetchRequest<Book>().sorted(by: \.title))
        #expect(books == objects.map(\.values))
        #expect(titles.map(\.1) == [184, 341, 304])
        #expect(perAuthor.map(\.1) == [3] && perAuthor.map(\.2) == [341])
    }

    @Test func valuesMakeAndChangeObjects() throws {
        let book = try context.fetch(FetchRequest<Book>())[0]

        // snippet: coredata.values
        var values = book.values
        values.pages = 200
        try book.apply(values)
        values.isbn = "4"
        let copy = try Book(values, context: context)
        // end

        #expect(book.pages == 200 && copy.pages == 200 && copy.title == book.title)
        try context.save()
    }

    @Test func dictionariesAreGrouped() async throws {
        let longest = try context.fetchDictionaries(
            FetchRequest<Book>().dictionaries("author.name", try .init("longest", "max(pages)"))
                .grouped(by: "author.name"))
        #expect(longest.map { $0["longest"] } == [.integer(341)])
    }

    @Test func theNextPageBeginsBehindAnObject() throws {
        let request = FetchRequest<Book>().sorted(by: \.title).limit(2)
        let first = try context.fetch(request)
        let second = try context.fetch(request.after(first[1]))
        #expect(second.map(\.title) == ["The Left Hand of Darkness"])
    }
}
