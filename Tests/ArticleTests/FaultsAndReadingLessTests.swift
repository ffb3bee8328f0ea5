import DocumentationSupport
import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

/// What the article says of faults and of reading less.
@MainActor struct FaultsAndReadingLessTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    /// Six books of three authors, of which the view context has none in memory.
    init() throws {
        container = try Library.container()
        context = container.viewContext
        try container.newBackgroundContext().performAndWait { context in
            for (name, titles) in [
                ("Octavia Butler", ["Dawn", "Kindred"]),
                ("Stanisław Lem", ["Eden", "Fiasco", "Solaris"]),
                ("Ursula K. Le Guin", ["The Dispossessed"]),
            ] {
                let author = Author(context: context)
                author.name = name
                for title in titles {
                    let book = Book(context: context)
                    (book.isbn, book.title, book.author) = (title, title, author)
                    book.pages = title.utf8.count * 50
                }
            }
            try context.save()
        }
    }

    private var reads: Int { container.persistentStoreCoordinator.faultCount }

    @Test func aWalkLoadsGroups() throws {
        try context.expectRoundTrips(atMost: 2) {
            // snippet: faults.walk
            let shelf = try context.fetch(FetchRequest<Book>().sorted(by: \.title))
            for book in shelf {
                print(book.title, book.author?.name ?? "unknown")
            }
            // end
            #expect(shelf.allSatisfy { $0.author?.isFault == false })
        }
        #expect(reads == 1)
    }

    @Test func aFaultIsLoadedWithItsNeighbours() throws {
        let authors = try context.fetch(FetchRequest<Book>()).map(\.author)
        #expect(authors.allSatisfy { $0?.isFault == true })
        try authors[0]?.load()
        #expect(authors.allSatisfy { $0?.isFault == false })
        // The lists of all authors come at once, and then the books, which are in memory.
        #expect(authors[0]?.books.count == 2 && reads == 2)
        #expect(authors[2]?.books.count == 3 && reads == 2)
    }

    @Test func faultsByIDAreLoadedTogether() throws {
        let ids = try context.fetchObjectIDs(FetchRequest<Book>())
        let books = ids.map { context.object(with: $0) }
        try context.expectRoundTrips(atMost: 1) { for book in books { try book.load() } }
    }

    @Test func prefetchingLeavesNothingToRead() throws {
        // snippet: faults.prefetch
        let shelf = try context.fetch(FetchRequest<Book>().prefetching(\.author, \.books))
        // end
        #expect(reads == 0)
        let other = container.makeContext()
        var lists: [Int] = []
        try other.expectRoundTrips(atMost: 3) {
            let context = other
            // snippet: faults.prefetch-names
            var request = FetchRequest<Book>()
            request.relationshipKeyPathsForPrefetching = ["author.books"]
            let books = try context.fetch(request)
            // end
            lists = books.map { $0.author?.books.count ?? 0 }
        }
        #expect(lists.reduce(0, +) == 14)
        try context.faulting(.forbidden) {
            #expect(shelf.map { $0.author?.books.count ?? 0 } == lists)
        }
    }

    @Test func someProperties() throws {
        // snippet: faults.partial
        let shelf = try context.fetch(
            FetchRequest<Book>().sorted(by: \.title).fetchingOnly(\.title, \.author))
        // end
        #expect(shelf.allSatisfy { $0.isFault })
        #expect(shelf.map(\.title).first == "Dawn" && shelf[5].author?.name != nil && reads == 1)
        #expect(shelf[0].pages == 200 && shelf.allSatisfy { !$0.isFault } && reads == 2)
        var request = FetchRequest<Book>()
        request.propertiesToFetch = ["title"]
        #expect(try container.makeContext().fetch(request)[0].isFault)
        request.propertiesToFetch = ["author.name"]
        #expect(throws: ContextError.self) { try context.fetch(request) }
    }

    @Test func valuesNeedNoContext() async throws {
        let before = reads
        // snippet: faults.values
        let books = try await container.fetch(
            Book.Values.self, FetchRequest().where { $0.pages > 200 }.sorted(by: \.title))
        let lengths = try await container.fetch(FetchRequest<Book>().select(\.title, \.pages))
        for (title, pages) in lengths { print(title, pages) }
        // end
        #expect(books.map(\.title) == ["Fiasco", "Kindred", "Solaris", "The Dispossessed"])
        #expect(lengths.count == 6 && reads == before)
        #expect(context.registeredObjects.isEmpty)
        let unsaved = Book(context: context)
        unsaved.title = "Roadside Picnic"
        #expect(try container.fetchAndWait(FetchRequest<Book>().select(\.title)).count == 6)
        let damaged: [Book.Values?] = try container.fetchAndWait(Book.Values?.self)
        #expect(damaged.count == 6)
    }

    @Test func groupsHaveTotals() async throws {
        // snippet: faults.totals
        let perAuthor = try await container.fetch(
            FetchRequest<Book>().select(\.author, aggregating: .count, .max(\.pages))
                .having(try FetchPredicate("count(SELF) > 1")).sorted(by: .count, .descending))
        for (authorID, count, longest) in perAuthor {
            print(authorID?.entityName ?? "none", count, longest ?? 0)
        }
        // end
        #expect(perAuthor.map(\.1) == [3, 2] && perAuthor.map(\.2) == [350, 350])
    }

    @Test func dictionariesHaveNames() throws {
        var lines: [String] = []
        func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }
        // snippet: faults.dictionaries
        let request = try FetchRequest<Book>()
            .dictionaries("author.name", ResultColumn("longest", "max(pages)"))
            .grouped(by: "author.name").having(FetchPredicate("longest < 800"))
        for row in try context.fetchDictionaries(request) {
            print(row["author.name", as: String.self] ?? "-", row["longest", as: Int.self] ?? 0)
        }
        // end
        #expect(lines == ["Octavia Butler 350", "Stanisław Lem 350"])
    }

    @Test func pagesBeginBehindAnObject() throws {
        var lines: [[String]] = []
        func print(_ titles: [String]) { lines.append(titles) }
        // snippet: faults.pages
        let first = FetchRequest<Book>().sorted(by: \.title).limit(4)
        var page = first
        while case let books = try context.fetch(page), let last = books.last {
            print(books.map(\.title))
            page = try first.after(last)
        }
        // end
        #expect(
            lines == [["Dawn", "Eden", "Fiasco", "Kindred"], ["Solaris", "The Dispossessed"]])
        let last = try context.fetch(first)[3]
        let position = try FetchPosition(of: last, in: first.sortDescriptors)
        let token = try JSONEncoder().encode(position)
        let back = try JSONDecoder().decode(FetchPosition.self, from: token)
        #expect(try context.fetch(first.after(back)).map(\.title) == lines[1])
    }

    @Test func lazyResultsLoadBatches() throws {
        // snippet: faults.lazy
        let shelf = try context.fetchLazily(
            FetchRequest<Book>().sorted(by: \.title).batches(of: 50))
        print(shelf.count, shelf[3].title)
        // end
        #expect(shelf.objectIDs.count == 6 && reads == 1)
        #expect(shelf.map(\.title).count == 6 && shelf.batchSize == 50 && reads == 1)
        let other = container.makeContext()
        let pairs = try other.fetchLazily(FetchRequest<Book>().batches(of: 2))
        #expect(Array(pairs).count == 6 && reads == 4)
    }

    @Test func faultsAreForbidden() throws {
        // snippet: faults.forbidden
        let shelf = try context.fetch(FetchRequest<Book>().prefetching(\.author))
        try context.faulting(.forbidden) {
            for book in shelf { print(book.title, book.author?.name ?? "unknown") }
        }
        // end
        let error = #expect(throws: ContextError.self) {
            try context.faulting(.forbidden) { #expect(shelf[0].author?.books.count == 0) }
        }
        #expect(error?.code == .faultingForbidden)
        #expect(error?.message.contains("'Author.books'") == true)
        #expect(shelf[0].author?.books.count == 2)
    }

    @Test func faultsAreReported() throws {
        var lines: [String] = []
        func print(_ item: Any) { lines.append("\(item)") }
        let shelf = try context.fetch(FetchRequest<Book>())
        // snippet: faults.reported
        try context.faulting(.reported { trip in print(trip) }) {
            for book in shelf { print(book.author?.name ?? "unknown") }
        }
        // end
        #expect(lines.count == 7)
        let output = try Article.named("FaultsAndReadingLess").output("faults.reported")
        #expect(lines.prefix(3).joined(separator: "\n") == output)
    }

    @Test func tripsHaveABudget() throws {
        var lines: [String] = []
        func print(_ item: Any) { lines.append("\(item)") }
        let ids = try context.fetchObjectIDs(FetchRequest<Book>())
        // snippet: faults.budget
        do {
            try context.expectRoundTrips(atMost: 2) {
                for id in ids { print(try context.existingObject(with: id, as: Book.self).title) }
            }
        } catch let error as ContextError {
            print(error.message)
        }
        // end
        let output = try Article.named("FaultsAndReadingLess").output("faults.budget")
        #expect(lines.last == output.replacing("\n", with: " "))
    }

    @Test func storesExplainThemselves() throws {
        let request = FetchRequest<Book>().where { $0.pages > 300 }.sorted(by: \.title)
        let explanation = try #require(context.explain(request).first)
        #expect(explanation.storeType == "memory" && explanation.pushed == "pages > ?")
        #expect(explanation.residual == nil && explanation.ordering == .store)
    }
}
