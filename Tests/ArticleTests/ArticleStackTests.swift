import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

// snippet: coredata.actor
actor Importer {
    private let context: ManagedObjectContext
    init(container: PersistentContainer) {
        context = container.makeContext(ContextOptions(author: "importer"))
        context.attach(to: self)
    }
    func rename(_ id: ManagedObjectID, to name: String) throws {
        try context.existingObject(with: id, as: Author.self).name = name
        try context.save()
    }
}
// end

/// The stack of the article, from the container to undo.
@MainActor struct ArticleStackTests {
    @Test func theStackIsSetUp() async throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString).sqlite").path
        defer { try? SQLiteStoreType().destroy(.sqlite(path)) }
        // snippet: coredata.stack
        let container = try await PersistentContainer(
            model: ManagedObjectModel(Book.self, Author.self),
            stores: [.sqlite(path).keepingHistory(forDays: 30)],
            defaultOptions: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        // end

        // snippet: coredata.background
        let id = try await container.performBackgroundTask { context in
            let author = Author(context: context)
            author.name = "Ursula K. Le Guin"
            let book = Book(context: context)
            book.isbn = "9780441478125"
            book.title = "The Left Hand of Darkness"
            book.pages = 304
            book.author = author
            try context.save()
            return book.objectID
        }
        let book = try container.viewContext.existingObject(with: id, as: Book.self)
        // end
        #expect(book.author?.name == "Ursula K. Le Guin")
        #expect(container.viewContext.mergePolicy.description == "mergeByPropertyObjectTrump")
        #expect(try container.currentPersistentHistoryToken() != nil)
        try container.close()
    }

    @Test func anActorOwnsAContext() async throws {
        let container = try Library.filled()
        let author = try container.viewContext.fetch(FetchRequest<Author>())[0]
        try await Importer(container: container).rename(author.objectID, to: "U. K. Le Guin")
        let names = try container.viewContext.fetchObjectIDs(
            FetchRequest<Author>().where { $0.name == "U. K. Le Guin" })
        #expect(names == [author.objectID])
    }

    @Test func aChildContextIsAScratchPad() throws {
        let container = try Library.filled()
        let book = try container.viewContext.fetch(FetchRequest<Book>())[0]

        let sheet = ManagedObjectContext(parent: container.viewContext)
        try sheet.existingObject(with: book.objectID, as: Book.self).pages = 286
        try sheet.save()

        #expect(book.pages == 286 && container.viewContext.hasChanges)
        container.viewContext.rollback()
        let discarded = ManagedObjectContext(parent: container.viewContext)
        try discarded.existingObject(with: book.objectID, as: Book.self).pages = 1
        discarded.rollback()
        #expect(book.pages == 184 && !container.viewContext.hasChanges)
    }

    @Test func theOwnerDoesNotWaitForTheStore() async throws {
        let container = try Library.filled()

        let long = try await container.viewContext.fetchOffOwner(
            FetchRequest<Book>().where { $0.pages >= 300 })
        for book in long { book.pages += 1 }
        try await container.viewContext.saveOffOwner()

        #expect(Set(long.map(\.pages)) == [305, 342])
        #expect(!container.viewContext.hasChanges)
    }

    @Test func changesAreUndone() throws {
        let container = try Library.filled()
        let book = try container.viewContext.fetch(FetchRequest<Book>())[0]

        container.viewContext.undoManager = ContextUndoManager()
        book.pages = 300
        try container.viewContext.undo()

        #expect(book.pages == 184)
    }

    @Test func observersSeeChanges() async throws {
        let container = try Library.filled()
        let context = container.viewContext
        var updated = 0
        let observer = context.observe { event, _ in
            if case .objectsDidChange(let changes) = event { updated += changes.updated.count }
        }
        try context.fetch(FetchRequest<Book>())[0].pages += 1
        context.processPendingChanges()
        #expect(updated == 1)
        observer.cancel()
    }
}
