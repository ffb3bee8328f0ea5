import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import DuramenTestKit
import DuramenTestSupport
import Foundation
import Synchronization
import Testing

/// What the article TestingYourModel says.
enum TestingYourModelModel {
    // snippet: testing.fixture
    enum Shelf {
        // One model for all tests: equal models are still two.
        static let model = Result { try ManagedObjectModel(Book.self, Author.self) }

        /// An empty container.
        static func container(
            _ store: PersistentStoreDescription = .memory()
        ) throws -> PersistentContainer {
            try PersistentContainer.open(model: model.get(), stores: [store])
        }

        /// An author with so many books, saved.
        @discardableResult
        static func fill(_ context: ManagedObjectContext, books count: Int) throws -> Author {
            let author = Author(context: context)
            author.name = "Ursula K. Le Guin"
            for number in 1...count {
                let book = Book(context: context)
                book.isbn = "\(number)"
                book.title = "Volume \(number)"
                book.author = author
            }
            try context.save()
            return author
        }
    }
    // end

    // snippet: testing.first
    @MainActor struct ShelfTests {
        let container: PersistentContainer
        let context: ManagedObjectContext

        init() throws {
            container = try Shelf.container()
            context = container.viewContext
        }

        @Test func anAuthorIsDeletedWithTheBooks() throws {
            let author = try Shelf.fill(context, books: 2)
            context.delete(author)
            try context.save()
            #expect(try context.count(for: FetchRequest<Book>()) == 0)
        }

        @Test func aBookNeedsATitle() throws {
            let book = Book(context: context)
            book.isbn = "1"
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.property) == ["title"])
        }
    }
    // end

    // snippet: testing.clock
    /// A clock that a test sets.
    final class TestClock: Sendable {
        private let now = Mutex(Date(timeIntervalSince1970: 0))

        var clock: StoreClock {
            StoreClock(date: { self.now.withLock { $0 } }, StoreClock.system.elapsed)
        }

        func advance(days: Double) { now.withLock { $0 += days * 86_400 } }
    }
    // end

    @MainActor struct ArticleTests {
        @Test func eachContainerIsFresh() throws {
            let (first, second) = (try Shelf.container(), try Shelf.container())
            try Shelf.fill(first.viewContext, books: 1)
            #expect(try second.viewContext.count(for: FetchRequest<Book>()) == 0)
            let name = UUID().uuidString
            let (third, fourth) = (
                try Shelf.container(.memory(name)), try Shelf.container(.memory(name))
            )
            try Shelf.fill(third.viewContext, books: 1)
            #expect(try fourth.viewContext.count(for: FetchRequest<Book>()) == 1)
        }

        // snippet: testing.file
        @Test func booksSurviveARestart() throws {
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            let store = PersistentStoreDescription.sqlite(file.path).durability(.unsafeNoSync)
            defer { try? store.destroyStore() }

            let first = try Shelf.container(store)
            try Shelf.fill(first.viewContext, books: 2)
            try first.close()

            let second = try Shelf.container(store)
            #expect(try second.viewContext.count(for: FetchRequest<Book>()) == 2)
            try second.close()
        }
        // end

        @Test func aSnapshotShowsTheObjectsOfAFixture() throws {
            // snippet: testing.graph
            let container = try PersistentContainer.inMemory(Book.self, Author.self)
            let context = container.viewContext
            try context.load(
                graph: """
                    {
                      "Author": [{"name": "Ursula K. Le Guin"}],
                      "Book": [
                        {"isbn": "1", "title": "The Dispossessed", "author": "Ursula K. Le Guin"},
                        {"isbn": "2", "title": "Tehanu", "author": "Ursula K. Le Guin"}
                      ]
                    }
                    """)
            // end
            // snippet: testing.dump
            let author = try context.fetch(FetchRequest<Author>())[0]
            let tehanu = try context.fetch(FetchRequest<Book>().where { $0.title == "Tehanu" })[0]
            author.books.remove(tehanu)

            #expect(
                try context.dump(Author.self) == """
                    Author "Ursula K. Le Guin"
                      name: "Ursula K. Le Guin"
                      books:
                        Book "1"
                    """)
            // end
        }

        // snippet: testing.fail
        @Test func aFailedSaveLosesNothing() throws {
            let plan = FaultPlan()
            let container = try Shelf.container(plan.faulty(.memory()))
            let context = container.viewContext
            let author = try Shelf.fill(context, books: 1)

            author.name = "U. K. Le Guin"
            plan.fail(.save, with: .io)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .io && context.hasChanges)

            try context.save()
            #expect(!context.hasChanges)
        }
        // end

        // snippet: testing.unknown
        @Test func aSaveOfUnknownOutcomeIsNotMadeTwice() throws {
            let plan = FaultPlan()
            let context = try Shelf.container(plan.faulty(.memory())).viewContext
            let author = try Shelf.fill(context, books: 1)
            let saves = plan.count(of: .save)

            author.name = "U. K. Le Guin"
            plan.fail(.save, with: .unknownOutcome, .after)
            #expect(throws: StoreError.self) { try context.save() }

            try context.save()
            #expect(!context.hasChanges && plan.count(of: .save) == saves + 1)
        }
        // end

        @Test func aStoreThatCannotBeOpenedThrows() {
            let plan = FaultPlan()
            plan.fail(.open, with: .io)
            let error = #expect(throws: StoreError.self) {
                try Shelf.container(plan.faulty(.memory()))
            }
            #expect(error?.code == .io)
        }

        @Test func aPropertyThatCannotBeReadIsReported() throws {
            let plan = FaultPlan()
            let container = try Shelf.container(plan.faulty(.memory()))
            let id = try Shelf.fill(container.viewContext, books: 1).objectID
            let context = container.makeContext()
            let author = context.object(with: id, as: Author.self)
            plan.fail(.rows, with: .io)
            #expect(author.name == "" && author.faultError != nil)
            #expect(throws: StoreError.self) { try context.save() }
            #expect(author.name == "Ursula K. Le Guin")
        }

        // snippet: testing.slow
        @Test func theMainActorIsFreeDuringASave() async throws {
            let plan = FaultPlan()
            let context = try Shelf.container(plan.faulty(.memory())).viewContext
            let author = try Shelf.fill(context, books: 1)

            author.name = "U. K. Le Guin"
            plan.hold()
            let save = Task { try await context.saveOffOwner() }
            await plan.waitForHeldCalls()
            #expect(author.hasChanges)

            plan.release()
            try await save.value
            #expect(!author.hasChanges)
        }
        // end

        @Test func afterAnotherWriterASaveConflicts() throws {
            let name = UUID().uuidString
            let other = try Shelf.container(.memory(name))
            let plan = FaultPlan()
            let context = try Shelf.container(plan.faulty(.memory(name))).viewContext
            let author = try Shelf.fill(context, books: 1)

            // snippet: testing.act
            plan.act(before: .save) {
                try? other.newBackgroundContext().performAndWait { context in
                    try context.fetch(FetchRequest<Author>()).first?.name = "Le Guin"
                    try context.save()
                }
            }
            author.name = "U. K. Le Guin"
            #expect(throws: SaveConflictError.self) { try context.save() }
            // end
            #expect(plan.clear() == 0)
        }

        // snippet: testing.trips
        @Test func theListOfBooksCostsTwoRoundTrips() throws {
            let container = try Shelf.container()
            try Shelf.fill(container.viewContext, books: 100)
            let context = container.makeContext()

            try context.expectRoundTrips(atMost: 2) {
                for book in try context.fetch(FetchRequest<Book>()) {
                    #expect(book.author?.name == "Ursula K. Le Guin")
                }
            }
        }
        // end

        @Test func aSmallerBudgetIsAnError() throws {
            let container = try Shelf.container()
            try Shelf.fill(container.viewContext, books: 3)
            let context = container.makeContext()
            let error = #expect(throws: ContextError.self) {
                try context.expectRoundTrips(atMost: 1) {
                    for book in try context.fetch(FetchRequest<Book>()) { _ = book.author?.name }
                }
            }
            #expect(error?.code == .tooManyRoundTrips)
            #expect(error?.message.contains("1 × fault of 'Author.name'") == true)
        }

        @Test func faultsCanBeForbiddenOrReported() throws {
            let container = try Shelf.container()
            try Shelf.fill(container.viewContext, books: 3)
            let context = container.makeContext()

            // snippet: testing.faulting
            let books = try context.fetch(FetchRequest<Book>().prefetching(\.author))
            try context.faulting(.forbidden) {
                for book in books { print(book.title, book.author?.name ?? "") }
            }

            var trips: [RoundTrip] = []
            try context.faulting(.reported { trips.append($0) }) {
                for book in books { print(book.author?.books.count ?? 0) }
            }
            // end
            #expect(trips.map(\.reason) == [.fault])
        }

        @Test func transactionsHaveTheDateOfTheClock() throws {
            // snippet: testing.time
            let time = TestClock()
            let container = try Shelf.container(.memory().keepingHistory().clock(time.clock))
            let author = try Shelf.fill(container.viewContext, books: 1)
            time.advance(days: 3)
            author.name = "U. K. Le Guin"
            try container.viewContext.save()

            let history = try container.persistentStoreCoordinator.execute(
                PersistentHistoryChangeRequest.fetchHistory(after: PersistentHistoryToken()))
            let dates = history.transactions.map(\.timestamp.timeIntervalSince1970)
            #expect(dates == [0, 3 * 86_400])
            // end
        }

        @Test func changesOfABackgroundTaskAreThereWhenItIsAwaited() async throws {
            // snippet: testing.await
            let container = try Shelf.container()
            let books = try FetchedResults(
                FetchRequest<Book>().sorted(by: \.title), in: container.viewContext)

            try await container.performBackgroundTask { context in
                _ = try Shelf.fill(context, books: 3)
            }
            #expect(books.objects?.count == 3)
            // end
        }
    }
}
