import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

/// What the article for those who know GRDB says. Its classes are those of the library.
@MainActor struct GRDBTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try Library.filled()
        context = container.viewContext
    }

    @Test func structsAreReadWithoutAContext() async throws {
        // snippet: grdb.read
        let books: [Book.Values] = try await container.fetch(
            Book.Values.self, FetchRequest().where { $0.pages > 200 }.sorted(by: \.title))
        let titles = try await container.fetch(
            FetchRequest<Book>().sorted(by: \.title).select(\.title, \.pages))
        // end

        #expect(books.map(\.title) == ["The Dispossessed", "The Left Hand of Darkness"])
        #expect(titles.map(\.0).count == 3 && titles.map(\.1) == [341, 184, 304])
        #expect(
            try JSONDecoder().decode([Book.Values].self, from: JSONEncoder().encode(books)) == books
        )
    }

    @Test func aClosureWritesInOneTransaction() async throws {
        let list = [("4", "The Word for World Is Forest", 189)]

        // snippet: grdb.write
        let ids = try await container.performBackgroundTask { context in
            let author = try context.fetch(
                FetchRequest<Author>().where { $0.name == "Ursula K. Le Guin" }
            ).first
            let ids = list.map { isbn, title, pages in
                let book = Book(context: context)
                (book.isbn, book.title, book.pages) = (isbn, title, pages)
                book.author = author
                return book.objectID
            }
            try context.save()
            return ids
        }
        // end

        #expect(ids.count == 1)
        #expect(try context.count(for: FetchRequest<Book>()) == 4)
        let author = try context.fetch(FetchRequest<Author>())[0]
        #expect(author.books.count == 4)
    }

    @Test func aClosureThatThrowsWritesNothing() async throws {
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            try await container.performBackgroundTask { context in
                for book in try context.fetch(FetchRequest<Book>()) { context.delete(book) }
                throw Refused()
            }
        }
        #expect(try context.count(for: FetchRequest<Book>()) == 3)
    }

    @Test func aWalkOverARelationshipIsTwoRoundTrips() throws {
        // Another context, which has nothing in memory.
        let context = container.makeContext()

        // snippet: grdb.walk
        try context.expectRoundTrips(atMost: 2) {
            for book in try context.fetch(FetchRequest<Book>()) {
                print(book.title, "by", book.author?.name ?? "unknown")
            }
        }
        // end
    }

    @Test func aggregatesAreTyped() async throws {
        // snippet: grdb.aggregates
        let perAuthor = try await container.fetch(
            FetchRequest<Book>().where { $0.pages > 100 }
                .select(\.author, aggregating: .count, .max(\.pages)))
        let rows = try context.fetchDictionaries(
            FetchRequest<Book>()
                .dictionaries("author.name", try .init("total", "sum(pages)"))
                .grouped(by: "author.name").having(try FetchPredicate("total > 500"))
                .sorted(by: "total", .descending))
        // end

        #expect(perAuthor.count == 1 && perAuthor[0].1 == 3 && perAuthor[0].2 == 341)
        #expect(rows.map { $0["total", as: Int.self] } == [829])
        #expect(rows[0]["author.name", as: String.self] == "Ursula K. Le Guin")
    }

    @Test func aConditionReachesOverRelationships() throws {
        let long = FetchRequest<Author>().where {
            $0.books.count { $0.pages > 300 } >= 2 && $0.name.contains("guin", .caseInsensitive)
        }
        #expect(try context.count(for: long) == 1)
    }

    @Test func anyActorObservesAList() async throws {
        // snippet: grdb.observation
        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Book>().where { $0.pages > 200 }.sorted(by: \.title),
            managedObjectContext: context)
        try controller.performFetch()
        let events = controller.events()
        let observation = Task.detached {
            for await case .changed(let snapshot, let changes) in events {
                print(changes.objects.count, "changes,", snapshot.numberOfItems, "books")
            }
        }
        // end

        let first = try context.fetch(FetchRequest<Book>().where { $0.pages < 200 })[0]
        var heard = controller.events().makeAsyncIterator()
        first.pages = 201
        context.processPendingChanges()
        // The results as they were come first.
        guard case .fetched(let before)? = await heard.next(),
            case .changed(let snapshot, let changes)? = await heard.next()
        else {
            Issue.record("the list has not changed")
            return
        }
        #expect(before.numberOfItems == 2)
        #expect(changes.objects.map(\.kind) == [.insert] && snapshot.numberOfItems == 3)
        observation.cancel()
        await observation.value
    }

    @Test func rowsAreInsertedOrUpdatedByABatch() throws {
        let rows: [[String: any Sendable]] = [
            ["isbn": "1", "title": "The Lathe of Heaven", "pages": 175],
            ["isbn": "9", "title": "Lavinia", "pages": 279],
        ]

        // snippet: grdb.upsert
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.execute(BatchInsertRequest(Book.self, objects: rows))
        // end

        let books = try context.fetch(FetchRequest<Book>().sorted(by: \.isbn))
        #expect(books.map(\.pages) == [175, 341, 304, 279])
    }

    @Test func aStoreSaysHowItAnswers() throws {
        let explanations = try context.explain(FetchRequest<Book>().where { $0.pages > 200 })
        #expect(explanations.count == 1)
    }
}
