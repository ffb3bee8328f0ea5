import DocumentationSupport
import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

enum ContextsAndConcurrencyModel {
    // snippet: contexts.actor
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
}

/// What the article ContextsAndConcurrency says.
@MainActor struct ContextsAndConcurrencyTests {
    private typealias Importer = ContextsAndConcurrencyModel.Importer

    @Test func valuesAndIDsComeOut() async throws {
        let container = try Library.filled()

        // snippet: contexts.first
        // Main actor: use the view context without waiting.
        let books = try container.viewContext.fetch(FetchRequest<Book>())

        // Background: objects stay inside, values and IDs come out.
        let id = try await container.performBackgroundTask { context in
            let book = Book(context: context)
            book.isbn = "4"
            book.title = "The Word for World Is Forest"
            try context.save()
            return book.objectID
        }

        // The awaited save is visible here already.
        let book = try container.viewContext.existingObject(with: id, as: Book.self)
        // end

        #expect(books.count == 3 && book.title.hasSuffix("Forest"))
        #expect(try container.viewContext.count(for: FetchRequest<Book>()) == 4)
    }

    @Test func aBackgroundContextStays() async throws {
        let container = try Library.filled()
        let author = try container.viewContext.fetch(FetchRequest<Author>())[0]

        // snippet: contexts.background
        let background = container.newBackgroundContext(ContextOptions(name: "cataloguing"))

        // One closure is one unit of work. It runs on the queue of the context.
        let count = try await background.perform { context in
            for book in try context.fetch(FetchRequest<Book>()) { book.pages += 1 }
            try context.save()
            return try context.count(for: FetchRequest<Book>())
        }

        // This closure may await.
        let long = try await background.withContext { context in
            let books = try await context.fetchOffOwner(
                FetchRequest<Book>().where { $0.pages > 300 })
            return books.map(\.values)
        }

        // This call blocks the thread until the closure has run.
        let names = try background.performAndWait { context in
            try context.fetch(FetchRequest<Author>()).map(\.name)
        }
        // end

        #expect(count == 3 && Set(long.map(\.pages)) == [305, 342])
        #expect(names == [author.name])
        let values = try container.viewContext.fetch(FetchRequest<Book>()).map(\.pages)
        #expect(Set(values) == [185, 305, 342])
    }

    @Test func theMainActorNeedNotWait() async throws {
        let container = try Library.filled()

        // snippet: contexts.offowner
        let context = container.viewContext
        let long = try await context.fetchOffOwner(FetchRequest<Book>().where { $0.pages > 300 })
        for book in long { book.pages += 1 }
        try await context.saveOffOwner()
        // end

        #expect(Set(long.map(\.pages)) == [305, 342] && !context.hasChanges)
    }

    @Test func settingsAreReadEverywhere() async throws {
        let container = try Library.container()

        // snippet: contexts.settings
        let background = container.newBackgroundContext()
        await background.setMergePolicy(.mergeByPropertyObjectTrump)
        await background.setTransactionAuthor("import")
        print(background.transactionAuthor ?? "nobody")
        // end

        #expect(background.transactionAuthor == "import")
        let inside = await background.perform { context in
            [context.mergePolicy.description, context.transactionAuthor ?? ""]
        }
        #expect(inside == [background.mergePolicy.description, "import"])
    }

    @Test func performAndWaitRunsAtOnceInAClosureOfItsContext() throws {
        let background = try Library.container().newBackgroundContext(ContextOptions(name: "a"))
        let name = background.performAndWait { _ in
            background.performAndWait { context in context.name }
        }
        #expect(name == "a")
    }

    @Test func anActorOwnsItsContext() async throws {
        let container = try Library.filled()
        let author = try container.viewContext.fetch(FetchRequest<Author>())[0]

        let importer = Importer(container: container)
        try await importer.rename(author.objectID, to: "U. K. Le Guin")

        container.viewContext.processPendingChanges()
        #expect(author.name == "U. K. Le Guin")
    }

    @Test func anObjectCrossesAsItsIDOrItsValues() async throws {
        let container = try Library.filled()
        let background = container.newBackgroundContext()
        let book = try container.viewContext.fetch(
            FetchRequest<Book>().where { $0.pages > 340 })[0]

        // snippet: contexts.cross
        let id = book.objectID
        let values = try await background.perform { context in
            let book = try context.existingObject(with: id, as: Book.self)
            book.pages += 10
            try context.save()
            return book.values
        }
        // end

        #expect(values.pages == 351 && values.objectID == id && book.pages == 351)
    }

    @Test func aContextThatDoesNotMergeStaysAsItIs() async throws {
        let container = try Library.filled()
        let context = container.viewContext
        let book = try context.fetch(FetchRequest<Book>().where { $0.pages > 340 })[0]
        context.automaticallyMergesChangesFromParent = false
        try await container.performBackgroundTask { context in
            for book in try context.fetch(FetchRequest<Book>()) { book.pages = 0 }
            try context.save()
        }
        #expect(book.pages == 341)
        try context.refresh(book, mergeChanges: true)
        #expect(book.pages == 0)
    }

    @Test func aDeletedObjectIsGone() throws {
        let context = try Library.filled().viewContext
        let book = try context.fetch(FetchRequest<Book>())[0]
        let title = book.title
        context.delete(book)
        try context.save()
        #expect(book.isGone && book.managedObjectContext == nil && !book.isDeleted)
        #expect(book.title == title)
        book.pages = 7
        let error = #expect(throws: ContextError.self) { try context.save() }
        #expect(error?.code == .objectNotFound)
    }

    #if DEBUG
    @Test func useOutsideOfTheOwnerTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let container = try await Library.filled()
            let carried = try await MainActor.run {
                Carried(object: try container.viewContext.fetch(FetchRequest<Book>())[0])
            }
            carried.object.pages = 1
        }
        let message = String(
            decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let shown = try Article.named("ContextsAndConcurrency").output("contexts.trap")
        #expect(message.contains(shown.replacing("\n", with: " ")))
    }
    #endif
}

/// Carries an object past the compiler, as no program should.
private struct Carried: @unchecked Sendable { let object: Book }
