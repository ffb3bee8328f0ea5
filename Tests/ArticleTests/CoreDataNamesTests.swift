import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

/// The names that the article on Core Data's names calls the same.
@MainActor struct CoreDataNamesTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let book: Book

    init() throws {
        container = try Library.filled()
        context = container.viewContext
        book = try context.fetch(FetchRequest<Book>())[0]
    }

    @Test func objectsAreReadByKey() throws {
        // snippet: coredatanames.keys
        let request = FetchRequest<ManagedObject>(entityName: "Book")
        for book in try context.fetch(request) {
            let title = try book.value(forKey: "title") as? String
            try book.setValue(title?.uppercased(), forKey: "title")
        }
        // end

        #expect(book.title == "THE LATHE OF HEAVEN")
        let error = try #require(throws: ContextError.self) { try book.value(forKey: "titel") }
        #expect(error.code == .unknownName)
    }

    @Test func objectsHaveTheirMethods() throws {
        book.pages = 200
        #expect(book.changedValues()["pages"] as? Int64 == 200)
        #expect(try book.committedValues(forKeys: ["pages"])["pages"] as? Int64 == 184)
        #expect(book.isUpdated && book.hasChanges && book.hasPersistentChangedValues)
        #expect(!book.isFault && !book.isInserted && !book.isDeleted && !book.isGone)
        try book.setPrimitiveValue(201, forKey: "pages")
        #expect(try book.primitiveValue(forKey: "pages") as? Int64 == 201)
        let author = try #require(book.author)
        #expect(author.name == "Ursula K. Le Guin")
        #expect(try !book.hasFault(forRelationshipNamed: "author"))
        #expect(try book.objectIDs(forRelationshipNamed: "author") == [author.objectID])
        #expect(book.entity.name == "Book" && book.managedObjectContext === context)
        try context.refresh(book, mergeChanges: false)
        #expect(book.isFault && book.pages == 184)
        try context.refreshAllObjects()
    }

    @Test func contextsHaveTheirMethods() throws {
        #expect(context.registeredObject(for: book.objectID) === book)
        #expect(context.object(with: book.objectID) === book)
        #expect(try context.existingObject(with: book.objectID) === book)
        let new = Book(context: context)
        #expect(new.objectID.isTemporaryID)
        try context.obtainPermanentIDs(for: [new])
        #expect(!new.objectID.isTemporaryID && new.isInserted)
        context.processPendingChanges()
        #expect(context.insertedObjects == [new] && context.hasChanges)
        context.delete(new)
        context.rollback()
        try context.detectConflicts(for: book)
        #expect(context.guardedObjects == [book])
        context.automaticallyMergesChangesFromParent = false
        try context.setQueryGeneration(from: .current)
        #expect(context.stalenessInterval == .infinity && context.propagatesDeletesAtEndOfEvent)
        context.reset()
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func anObjectIDHasAURI() throws {
        let uri = book.objectID.uriRepresentation
        let coordinator = container.persistentStoreCoordinator
        #expect(coordinator.managedObjectID(forURIRepresentation: uri) == book.objectID)
    }

    @Test func errorsHaveCoreDatasNumbers() throws {
        book.author?.books.removeAll()
        let nameless = Author(context: context)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.coreDataCode == 1570)
        context.delete(nameless)
        let missing = ManagedObjectID.temporary(entity: book.objectID.entityHandle)
        let notFound = try #require(throws: ContextError.self) {
            try context.existingObject(with: missing)
        }
        #expect(notFound.code.coreDataCode == 133_000)
    }

    @Test func aStoreIsDescribedAndDestroyed() throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString).sqlite").path
        let description = PersistentStoreDescription.sqlite(path)
            .timeout(seconds: 5).durability(.relaxed).readCache(bytes: 1 << 20)
        let container = try PersistentContainer.open(
            model: Library.model.get(), stores: [description])
        let coordinator = container.persistentStoreCoordinator
        try coordinator.setMetadata(["importedFrom": .text("list.csv")])
        #expect(try coordinator.metadata().userInfo == ["importedFrom": .text("list.csv")])
        try container.close()
        try description.destroyStore()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aSectionedControllerHasItsParts() throws {
        let controller = FetchedResultsController(
            fetchRequest: Book.fetchRequest().sorted(by: "author.name").sorted(by: \.title),
            managedObjectContext: context, sectionNameKeyPath: "author.name", cacheName: "books")
        #expect(controller.fetchedObjects == nil)
        try controller.performFetch()
        let path = try #require(controller.indexPath(for: book))
        #expect(controller.object(at: path) === book)
        #expect(controller.sections?.map(\.name) == ["Ursula K. Le Guin"])
        #expect(controller.sectionIndexTitles == ["U"])
        FetchedResultsController.deleteCache(withName: "books")
    }
}
