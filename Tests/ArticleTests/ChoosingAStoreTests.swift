import DocumentationSupport
import Duramen
import DuramenLMDB
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

enum ChoosingModel {
    @Managed
    final class Title: ManagedObject {
        @Attribute(.unique) var name: String
    }

    @Managed
    final class Note: ManagedObject {
        var text: String = ""
        var title: URL?
    }
}

private typealias Title = ChoosingModel.Title
private typealias Note = ChoosingModel.Note

/// What the article says of stores.
@MainActor struct ChoosingAStoreTests {
    private func path(_ name: String = "store") -> String {
        FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)").path
    }

    private func filled(_ store: PersistentStoreDescription) throws {
        let container = try PersistentContainer.open(model: Library.model.get(), stores: [store])
        let author = Author(context: container.viewContext)
        author.name = "Ursula K. Le Guin"
        for isbn in ["1", "2", "3"] {
            let book = Book(context: container.viewContext)
            (book.isbn, book.title, book.author) = (isbn, "Title \(isbn)", author)
        }
        try container.viewContext.save()
        try container.close()
    }

    @Test func aStringChoosesTheStore() async throws {
        let path = path()
        defer { try? PersistentStoreDescription.sqlite(path).destroyStore() }
        let model = try Library.model.get()
        let environment = ["LIBRARY_STORE": "sqlite:\(path)"]

        // snippet: choosing.string
        let types = StoreTypes([.sqlite, .lmdb, .memory])
        let setting = environment["LIBRARY_STORE"] ?? "memory:"
        let container = try await PersistentContainer(
            model: model, stores: [types.description(for: setting)])
        // end

        let coordinator = container.persistentStoreCoordinator
        #expect(try coordinator.metadata().storeType == "sqlite")
        try container.close()
        #expect(throws: StoreError.self) { try types.description(for: "postgres:x") }
        #expect(types.types.map(\.name) == ["sqlite", "lmdb", "memory"])
    }

    @Test func theTableOfCapabilitiesHolds() throws {
        let model = try Library.model.get()
        let stores: [PersistentStoreDescription] = [
            .sqlite(path()), .lmdb(path()), .memory(UUID().uuidString), .memory(),
        ]
        let every: StoreCapabilities = [
            .batches, .history, .changeObservation, .derivedAttributes,
        ]
        let expected: [StoreCapabilities] = [
            every.union([.durable, .maintenance, .schemaMigration]),
            every.union([.durable, .maintenance, .schemaMigration]),
            every.union(.schemaMigration), every,
        ]
        for (description, capabilities) in zip(stores, expected) {
            let store = try description.open(model: model)
            #expect(store.capabilities == capabilities)
            try store.close()
            try? description.destroyStore()
        }
    }

    @Test func namedStoresInMemoryAreShared() throws {
        let model = try Library.model.get()
        let name = UUID().uuidString
        try filled(.memory(name))
        let container = try PersistentContainer.open(model: model, stores: [.memory(name)])
        #expect(try container.viewContext.count(for: FetchRequest<Book>()) == 3)
        let empty = try PersistentContainer.open(model: model, stores: [.memory()])
        #expect(try empty.viewContext.count(for: FetchRequest<Book>()) == 0)
        try PersistentStoreDescription.memory(name).destroyStore()
    }

    @Test func aStoreIsConverted() throws {
        let (old, new) = (path("old"), path("new"))
        defer {
            try? PersistentStoreDescription.sqlite(old).destroyStore()
            try? PersistentStoreDescription.lmdb(new).destroyStore()
        }
        let model = try Library.model.get()
        try filled(.sqlite(old))
        var lines: [String] = []
        func print(_ line: String) { lines.append(line) }

        // snippet: choosing.convert
        let source = try PersistentStoreDescription.sqlite(old).readOnly().open(model: model)
        let destination = try PersistentStoreDescription.lmdb(new).open(model: model)
        let checksums = try StoreConversion(from: source, to: destination).run()
        for entity in checksums.entities { print("\(entity.name) \(entity.rowCount)") }
        try source.close()
        try destination.close()
        // end

        #expect(
            lines.joined(separator: "\n")
                == (try Article.named("ChoosingAStore").output("choosing.convert")))
        let container = try PersistentContainer.open(model: model, stores: [.lmdb(new)])
        let books = try container.viewContext.fetch(FetchRequest<Book>().sorted(by: \.isbn))
        #expect(books.map(\.objectID.key) == [1, 2, 3])
        #expect(books.allSatisfy { $0.author?.name == "Ursula K. Le Guin" })
        try container.close()
    }

    @Test func aContainerHasSeveralStores() async throws {
        let (catalogue, notes) = (path("catalogue"), path("notes"))
        defer {
            for path in [catalogue, notes] {
                try? PersistentStoreDescription.sqlite(path).destroyStore()
            }
        }
        let first = try PersistentContainer.open(
            model: ManagedObjectModel(Title.self), stores: [.sqlite(catalogue)])
        Title(context: first.viewContext).name = "Solaris"
        try first.viewContext.save()
        try first.close()

        // snippet: choosing.several
        let model = try ManagedObjectModel(
            [.of(Title.self), .of(Note.self)],
            configurations: [
                ConfigurationDescription("Catalogue", entities: ["Title"]),
                ConfigurationDescription("Notes", entities: ["Note"]),
            ])
        let container = try await PersistentContainer(
            model: model,
            stores: [
                .sqlite(catalogue).configuration("Catalogue").readOnly(),
                .sqlite(notes).configuration("Notes"),
            ])
        // end

        let context = container.viewContext
        let title = try context.fetch(FetchRequest<Title>())[0]

        // snippet: choosing.uri
        let note = Note(context: context)
        note.text = "Read again"
        note.title = title.objectID.uriRepresentation
        try context.save()
        // end

        #expect(note.objectID.store == container.stores[1])
        let id = container.persistentStoreCoordinator.managedObjectID(
            forURIRepresentation: try #require(note.title))
        #expect(id == title.objectID)
        title.name = "Eden"
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .readOnly)
        context.rollback()
        try container.close()
    }

    @Test func objectsAreAssignedToAStore() throws {
        let model = try Library.model.get()
        let container = try PersistentContainer.open(
            model: model, stores: [.memory(), .memory()])
        let context = container.viewContext
        let recent = Book(context: context)
        (recent.isbn, recent.title) = ("1", "Recent")

        // snippet: choosing.assign
        let archive = container.stores[1]
        let book = Book(context: context)
        (book.isbn, book.title) = ("9780156027601", "Solaris")
        try context.assign(book, to: archive)
        try context.save()

        let archived = try context.fetch(FetchRequest<Book>().affectedStores([archive]))
        // end

        #expect(archived == [book] && recent.objectID.store == container.stores[0])
        #expect(try context.fetch(FetchRequest<Book>()).count == 2)
        let author = Author(context: context)
        author.name = "Stanisław Lem"
        book.author = author
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.code) == [.relationshipAcrossStores])
        try context.assign(author, to: archive)
        try context.save()
    }

    @Test func aStoreForReadingIsNeverMade() throws {
        let model = try Library.model.get()
        let path = path()
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer.open(model: model, stores: [.sqlite(path).readOnly()])
        }
        #expect(error?.code == .storeMissing)
        #expect(!FileManager.default.fileExists(atPath: path))
        try filled(.sqlite(path))
        defer { try? PersistentStoreDescription.sqlite(path).destroyStore() }
        let container = try PersistentContainer.open(
            model: model, stores: [.sqlite(path).readOnly()])
        #expect(try container.viewContext.count(for: FetchRequest<Book>()) == 3)
        let book = Book(context: container.viewContext)
        (book.isbn, book.title) = ("4", "New")
        let readOnly = #expect(throws: StoreError.self) { try container.viewContext.save() }
        #expect(readOnly?.code == .readOnly)
        container.viewContext.rollback()
        try container.close()
    }
}
