import Duramen
import DuramenTestSupport
import Testing

@MainActor struct InMemoryTests {
    @Test func aContainerHasTheEntitiesOfItsClasses() throws {
        let container = try PersistentContainer.inMemory(Book.self, Author.self)
        #expect(container.managedObjectModel.entities.map(\.name) == ["Author", "Book"])
        let book = Book(context: container.viewContext)
        (book.isbn, book.title) = ("1", "Solaris")
        try container.viewContext.save()
        #expect(try container.viewContext.count(for: FetchRequest<Book>()) == 1)
    }

    @Test func eachContainerHasItsOwnData() throws {
        let first = try PersistentContainer.inMemory(Book.self, Author.self)
        let second = try PersistentContainer.inMemory(Book.self, Author.self)
        try first.viewContext.load(#"[{"name": "Lem"}]"#, into: Author.self)
        #expect(try first.viewContext.count(for: FetchRequest<Author>()) == 1)
        #expect(try second.viewContext.count(for: FetchRequest<Author>()) == 0)
    }

    @Test func theSameClassesHaveOneModel() throws {
        let first = try PersistentContainer.inMemory(Book.self, Author.self)
        let second = try PersistentContainer.inMemory(Book.self, Author.self)
        #expect(first.managedObjectModel === second.managedObjectModel)
    }

    @Test func aClassThatIsMissingIsNamed() throws {
        let error = #expect(throws: ModelError.self) {
            _ = try PersistentContainer.inMemory(Book.self)
        }
        #expect(error?.description.contains("Author") == true)
    }

    @Test func aContainerTakesAModelAndOptions() throws {
        let container = try PersistentContainer.inMemory(
            model: Town.model, defaultOptions: ContextOptions(mergePolicy: .overwrite))
        #expect(container.managedObjectModel === Town.model)
        #expect(container.viewContext.mergePolicy.description == MergePolicy.overwrite.description)
    }
}
