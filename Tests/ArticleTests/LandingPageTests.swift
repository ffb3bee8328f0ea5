import DocumentationSupport
import Duramen
import DuramenLMDB
import DuramenMacros
import DuramenMemory
import DuramenModel
import DuramenSQLite
import DuramenStore
import DuramenTestSupport
import Foundation
import Testing

/// The classes of the landing pages.
enum LandingModel {
    // snippet: duramen.class
    @Managed
    final class Note: ManagedObject {
        var text: String = ""
        var isDone: Bool = false
    }
    // end

    // snippet: macros.classes
    @Managed
    final class Team: ManagedObject {
        @Attribute(.unique) var name: String = ""
        @Relationship(inverse: \Player.team, deleteRule: .cascade) var players: ToMany<Player>
    }

    @Managed
    final class Player: ManagedObject {
        var name: String = ""
        var number: Int = 0
        @Relationship var team: Team?
    }
    // end
}

/// What the landing pages of the modules show.
@MainActor struct LandingPageTests {
    private let folder: ArticleFolder

    init() throws { folder = try ArticleFolder() }

    @Test func theModuleForTestsShowsItsObjects() throws {
        var text = ""
        func print(_ line: String) { text += line }
        // snippet: testsupport.first
        let container = try PersistentContainer.inMemory(Book.self, Author.self)
        let context = container.viewContext
        try context.load(
            """
            [{"isbn": "1", "title": "Solaris", "pages": 204, "author": "Stanisław Lem"}]
            """, into: Book.self)
        print(try context.dump())
        // end
        #expect(text == (try Article.named("DuramenTestSupport").output("testsupport.first")))
    }

    @Test func duramenKeepsNotes() async throws {
        typealias Note = LandingModel.Note
        let path = folder.file("notes.sqlite")
        // snippet: duramen.first
        let container = try await PersistentContainer(
            model: ManagedObjectModel(Note.self), stores: [.sqlite(path)])

        try await container.performBackgroundTask { context in
            let note = Note(context: context)
            note.text = "Buy bread"
            try context.save()
        }

        let open = try container.viewContext.fetch(
            FetchRequest<Note>().where { $0.isDone == false })
        print(open.map(\.text))
        // end
        #expect(open.map(\.text) == ["Buy bread"])
        try container.close()
    }

    @Test func classesAreAModel() throws {
        typealias Team = LandingModel.Team
        typealias Player = LandingModel.Player
        let container = try PersistentContainer.open(
            model: ManagedObjectModel(Team.self, Player.self), stores: [.memory()])
        let player = Player(context: container.viewContext)
        player.team = Team(context: container.viewContext)
        #expect(player.team.map { Array($0.players) } == [player])
    }

    @Test func storesAreDescribed() async throws {
        let model = try ManagedObjectModel(LandingModel.Note.self)
        do {
            let path = folder.file("a.sqlite")
            // snippet: sqlite.open
            let container = try await PersistentContainer(model: model, stores: [.sqlite(path)])
            // end
            try container.close()
        }
        do {
            let path = folder.file("a.lmdb")
            // snippet: lmdb.open
            let container = try await PersistentContainer(model: model, stores: [.lmdb(path)])
            // end
            try container.close()
        }
        // snippet: memory.open
        let container = try await PersistentContainer(model: model, stores: [.memory()])
        // end
        #expect(try container.viewContext.count(for: FetchRequest<LandingModel.Note>()) == 0)
    }

    @Test func aModelIsDescribedInCode() throws {
        // snippet: model.describe
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Book",
                attributes: [
                    AttributeDescription("title", .string, default: .text("")),
                    AttributeDescription("pages", .integer32, isOptional: true),
                ],
                relationships: [.toOne("author", destination: "Author", inverse: "books")]),
            EntityDescription(
                name: "Author", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("books", destination: "Book", inverse: "author")]),
        ])
        // end
        #expect(model.entity(named: "Book")?.attributes.map(\.name) == ["pages", "title"])
    }

    @Test func conditionsAreBuilt() throws {
        // snippet: query.first
        let typed = FetchRequest<Book>().where { $0.pages > 300 }.predicate
        let formatted = try FetchPredicate("pages > %@", 300)
        // end
        #expect(typed?.description == formatted.description)
    }

    @Test func archivesAreWrittenAndRead() throws {
        // snippet: archives.value
        let data = try ArchivedValue.array([.string("red"), .string("blue")]).archive()
        let value = try ArchivedValue(archive: data)
        // end
        #expect(value == .array([.string("red"), .string("blue")]))
    }
}
