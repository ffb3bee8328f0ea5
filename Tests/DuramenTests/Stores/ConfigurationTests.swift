import Duramen
import DuramenMemory
import DuramenSQLite
import Testing

/// A catalogue that comes with the application, and what its user adds.
private enum Bookshop {
    static let catalogue = [
        EntityDescription(
            name: "Author", attributes: [AttributeDescription("name", .string)],
            relationships: [.toMany("books", destination: "Book", inverse: "author")]),
        EntityDescription(
            name: "Book", attributes: [AttributeDescription("title", .string)],
            relationships: [.toOne("author", destination: "Author")],
            uniquenessConstraints: [["title"]]),
        EntityDescription(name: "Novel", superentity: "Book"),
    ]
    static let notes = [
        EntityDescription(
            name: "Note",
            attributes: [
                AttributeDescription("text", .string), AttributeDescription("book", .string),
            ])
    ]
    static let configurations = [
        ConfigurationDescription("Catalogue", entities: ["Author", "Book", "Novel"]),
        ConfigurationDescription("Notes", entities: ["Note"]),
    ]

    static func model(
        _ more: [EntityDescription] = [], notes: [EntityDescription] = notes
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            catalogue + notes + more, configurations: configurations)
    }

    /// The path of a catalogue with a novel in it.
    static func catalogue(_ kind: StoreKind) throws -> PersistentStoreDescription {
        let description = kind.description.configuration("Catalogue")
        let container = try PersistentContainer.open(
            model: try ManagedObjectModel(
                catalogue, configurations: Array(configurations.prefix(1))),
            stores: [description])
        let context = container.makeContext()
        let novel = context.insert("Novel", ["title": "Kokoro"])
        try novel.setValue(context.insert("Author", ["name": "Soseki"]), forKey: "author")
        try context.save()
        try container.close()
        return description
    }
}

@Suite struct ConfigurationTests {
    @Test(
        "A catalogue for reading and the user's own store stand side by side",
        arguments: [StoreKind.sqlite, .lmdb], [StoreKind.lmdb, .memory, .sqlite])
    func aCatalogueAndNotes(kind: StoreKind, own: StoreKind) throws {
        let catalogue = try Bookshop.catalogue(kind)
        let notes = own.description.configuration("Notes")
        let container = try PersistentContainer.open(
            model: Bookshop.model(), stores: [catalogue.readOnly(), notes])
        let context = container.makeContext()
        let book = try #require(try context.fetch(.all("Book")).first)
        #expect(book.entity === container.managedObjectModel.entity(named: "Novel"))
        let author = try #require(try book.value(forKey: "author") as? ManagedObject)
        #expect(try author.value(forKey: "name") as? String == "Soseki")
        #expect(try (author.value(forKey: "books") as? [ManagedObject]) == [book])
        let uri = book.objectID.uriRepresentation.absoluteString
        let note = context.insert("Note", ["text": "again", "book": uri])
        try context.save()
        #expect(note.objectID.store == container.stores[1])
        let other = container.makeContext()
        #expect(try other.count(for: .all("Note")) == 1)
        #expect(try other.count(for: .all("Author")) == 1)
        #expect(try other.existingObject(with: book.objectID).entity.name == "Novel")
        #expect(try context.count(for: .all("Note").affectedStores([container.stores[0]])) == 0)
    }

    @Test(
        "A change of entities outside of its configuration leaves a store as it is",
        arguments: [StoreKind.sqlite, .lmdb])
    func otherEntitiesMayChange(kind: StoreKind) throws {
        let catalogue = try Bookshop.catalogue(kind)
        var notes = Bookshop.notes
        notes[0].attributes.append(AttributeDescription("stars", .integer16, isOptional: true))
        // In the order of names it comes first, so that all others have another place in the model.
        let model = try Bookshop.model(
            [EntityDescription(name: "Aaa", attributes: [AttributeDescription("a", .string)])],
            notes: notes)
        for description in [catalogue.readOnly(), catalogue] {
            let container = try PersistentContainer.open(
                model: model, stores: [description, .memory()])
            let context = container.makeContext()
            let book = try #require(try context.fetch(.all("Book")).first)
            #expect(try book.value(forKey: "title") as? String == "Kokoro")
            #expect(book.entity.name == "Novel")
            _ = context.insert("Aaa", ["a": "x"])
            try context.save()
            try container.close()
        }
        var other = Bookshop.catalogue
        other[0].attributes.append(AttributeDescription("born", .integer16, isOptional: true))
        let changed = try ManagedObjectModel(
            other, configurations: Array(Bookshop.configurations.prefix(1)))
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer.open(model: changed, stores: [catalogue.withoutMigration()])
        }
        #expect(error?.code == .migrationRequired)
        let container = try PersistentContainer.open(model: changed, stores: [catalogue])
        let book = try #require(try container.makeContext().fetch(.all("Book")).first)
        #expect(try book.value(forKey: "title") as? String == "Kokoro")
        try container.close()
    }

    @Test("Objects of an entity in two configurations go to the first store that has it")
    func anEntityInTwoStores() throws {
        let container = try PersistentContainer.open(
            model: Bookshop.model(),
            stores: [StoreKind.sqlite.description.configuration("Notes"), .memory()])
        let context = container.makeContext()
        let note = context.insert("Note", ["text": "a", "book": "x"])
        let book = context.insert("Book", ["title": "b"])
        let second = context.insert("Note", ["text": "c", "book": "y"])
        try context.assign(second, to: container.stores[1])
        let error = #expect(throws: ContextError.self) {
            try context.assign(book, to: container.stores[0])
        }
        #expect(error?.code == .invalidRequest)
        try context.save()
        #expect(
            [note, book, second].map(\.objectID.store) == [0, 1, 1].map { container.stores[$0] })
        #expect(try second.value(forKey: "text") as? String == "c")
        let other = container.makeContext()
        let sorted = try other.fetch(
            FetchRequest.all("Note").sorted(by: "text", .descending))
        #expect(try sorted.map { try $0.value(forKey: "book") as? String } == ["y", "x"])
    }

    @Test("What the one store does not keep is fetched as nothing")
    func anEntityWithoutAStore() throws {
        let container = try PersistentContainer.open(
            model: Bookshop.model(), stores: [StoreKind.memory.description.configuration("Notes")])
        #expect(try container.makeContext().fetch(.all("Book")).isEmpty)
        #expect(throws: ContextError.self) { try container.makeContext().fetch(.all("Nobody")) }
    }

    @Test("A store of a configuration that the model does not have is not opened")
    func anUnknownConfiguration() throws {
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer.open(
                model: Bookshop.model(), stores: [.memory().configuration("Nothing")])
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test("Inserting what no store keeps traps")
    func insertingWithoutAStoreTraps() async {
        await #expect(processExitsWith: .failure) {
            let container = try PersistentContainer.open(
                model: Bookshop.model(), stores: [.memory().configuration("Notes")])
            _ = container.makeContext().insert("Book")
        }
    }
}
