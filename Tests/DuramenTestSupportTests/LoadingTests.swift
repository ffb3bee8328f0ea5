import Duramen
import DuramenTestSupport
import Foundation
import Testing

@MainActor struct LoadingTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try PersistentContainer.inMemory(Book.self, Author.self)
        context = container.viewContext
    }

    @Test func aFixtureIsSaved() throws {
        let report = try context.load(
            """
            [{"isbn": "1", "title": "Solaris", "author": {"name": "Stanisław Lem"}},
             {"isbn": "2", "title": "Fiasco", "pages": 322, "author": "Stanisław Lem"}]
            """, into: Book.self)
        #expect(report.inserted == 3 && !context.hasChanges)
        let author = try #require(try context.fetch(FetchRequest<Author>()).first)
        #expect(author.books.count == 2 && !author.objectID.isTemporaryID)
        let other = container.makeContext()
        #expect(try other.count(for: FetchRequest<Book>()) == 2)
    }

    @Test func aFixtureIsMappedAsAnImportIs() throws {
        try context.load(#"[{"id": "1", "title": "Solaris"}]"#, into: Book.self) {
            $0.rename("id", to: \.isbn)
            $0.match(\.isbn)
        }
        let report = try context.load(
            #"[{"isbn": "1", "title": "Solaris", "pages": 204}]"#, into: Book.self)
        #expect(report.updated == 1 && report.inserted == 0)
    }

    @Test func aFixtureCanBeAFile() throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString).json")
        try Data(#"{"books": [{"isbn": "1", "title": "Solaris"}]}"#.utf8).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        try context.load(from: .file(path.path, at: "/books"), into: Book.self)
        #expect(try context.count(for: FetchRequest<Book>()) == 1)
    }

    @Test func aRefusedElementFailsTheFixtureAndNothingIsKept() throws {
        let error = #expect(throws: TestSupportError.self) {
            try context.load(
                """
                [{"isbn": "1", "title": "Solaris", "author": "Lem"},
                 {"isbn": "2", "title": "Fiasco", "pages": "many"},
                 {"isbn": "3"}]
                """, into: Book.self)
        }
        #expect(error?.code == .refusedElements)
        #expect(error?.failures.map(\.pointer) == ["/1/pages", "/2"])
        #expect(error?.message.contains("/1/pages: 'Book.pages' needs a number.") == true)
        #expect(!context.hasChanges)
        #expect(try context.dump() == "")
    }

    @Test func aContextWithChangesLoadsNoFixture() throws {
        let author = Author(context: context)
        author.name = "Lem"
        let error = #expect(throws: TestSupportError.self) {
            try context.load("[]", into: Book.self)
        }
        #expect(error?.code == .unsavedChanges)
        #expect(author.hasChanges)
    }

    @Test func whatIsNoJSONIsRefusedAsByAnImport() throws {
        let error = #expect(throws: ImportError.self) {
            try context.load(#"{"isbn": "1"}"#, into: Book.self)
        }
        #expect(error?.code == .malformed)
    }

    @Test func aFixtureIsLoadedInTheBackground() async throws {
        let count = try await container.performBackgroundTask { context in
            try context.load(#"[{"isbn": "1", "title": "Solaris"}]"#, into: Book.self)
            return try context.count(for: FetchRequest<Book>())
        }
        #expect(count == 1)
    }

    // MARK: - Graphs

    @Test func aGraphHasSeveralEntitiesInOneDocument() throws {
        let counts = try context.load(
            graph: """
                {
                  "Author": [{"name": "Stanisław Lem"}, {"name": "Ursula K. Le Guin"}],
                  "Book": [
                    {"isbn": "1", "title": "Solaris", "author": "Stanisław Lem"},
                    {"isbn": "2", "title": "{\\":", "author": "Ursula K. Le Guin"}
                  ]
                }
                """)
        #expect(counts["Author"] == .init(inserted: 2, unchanged: 2))
        #expect(counts["Book"] == .init(inserted: 2))
        let titles = try context.fetch(FetchRequest<Book>().sorted(by: \.isbn)).map(\.title)
        #expect(titles == ["Solaris", "{\":"])
    }

    @Test func aGraphIsLoadedInTheOrderOfTheDocument() throws {
        // The author of the book is made where it is named, so it is known when its turn comes.
        let counts = try context.load(
            graph: """
                {"Book": [{"isbn": "1", "title": "Solaris", "author": "Lem"}],
                 "Author": [{"name": "Lem"}]}
                """)
        #expect(counts["Author"] == .init(inserted: 1, unchanged: 1))
    }

    @Test func aGraphIsLoadedAsAWholeOrNotAtAll() throws {
        let error = #expect(throws: TestSupportError.self) {
            try context.load(
                graph: """
                    {"Author": [{"name": "Lem"}, {"name": 5}], "Book": [{"isbn": true}]}
                    """)
        }
        #expect(error?.failures.map(\.pointer) == ["/Author/1/name", "/Book/0/isbn"])
        #expect(!context.hasChanges)
        #expect(try context.count(for: FetchRequest<Author>()) == 0)
    }

    @Test(arguments: [
        (#"{"Book": [}"#, "is not JSON"), ("[]", "is not a JSON object"),
        ("5", "is not a JSON object"),
        (#"{"Book": {}}"#, "has no array under 'Book'"),
        (#"{"Book": [], "Book": []}"#, "has the key 'Book' twice"),
    ])
    func aGraphOfAnotherFormIsRefused(json: String, problem: String) throws {
        let error = #expect(throws: TestSupportError.self) { try context.load(graph: json) }
        #expect(error?.code == .malformedGraph)
        #expect(error?.message.contains(problem) == true)
    }

    @Test func anUnknownEntityIsNamedWithANearOne() throws {
        let error = #expect(throws: TestSupportError.self) {
            try context.load(graph: #"{"Author": [{"name": "Lem"}], "Bok": []}"#)
        }
        #expect(error?.code == .unknownEntity)
        #expect(error?.message.contains("Did you mean 'Book'?") == true)
        #expect(try context.dump() == "")
    }

    @Test func aGraphCanBeAFile() throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString).json")
        try Data(#"{"Author": [{"name": "Lem"}]}"#.utf8).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        try context.load(graphFile: path.path)
        #expect(try context.count(for: FetchRequest<Author>()) == 1)
    }

    @Test func aFixtureOfAChildIsSavedIntoItsParent() throws {
        let child = ManagedObjectContext(parent: context)
        try child.load(#"[{"name": "Lem"}]"#, into: Author.self)
        #expect(!child.hasChanges && context.hasChanges)
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func everyStoreLoadsFixtures(kind: StoreKind) throws {
        let container = try kind.container(Town.model)
        let context = container.viewContext
        try context.load(
            graph: """
                {"House": [{"street": "A", "number": 1, "residents": ["Ada", "Bob"]}],
                 "Person": [{"name": "Bob", "friends": ["Ada"]}]}
                """)
        let expected = try context.dump()
        #expect(expected.contains("    Person \"Ada\"\n    Person \"Bob\""))
        #expect(try container.makeContext().dump() == expected)
        try container.close()
    }
}
