import DocumentationSupport
import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

enum ConflictModel {
    @Managed
    final class Doctor: ManagedObject {
        @Attribute(.unique) var name: String
        var isOnCall: Bool = true
    }

    static let model = Result { try ManagedObjectModel(Doctor.self) }
}

private typealias Doctor = ConflictModel.Doctor

/// What the articles say of conflicts.
@MainActor struct ArticleConflictTests {
    private func lathe(_ context: ManagedObjectContext) throws -> Book {
        try context.fetch(FetchRequest<Book>().where { $0.isbn == "1" })[0]
    }

    /// Changes the first book as somebody else would.
    private func saveElsewhere(
        _ container: PersistentContainer, _ change: @Sendable @escaping (Book) -> Void
    ) throws {
        try container.newBackgroundContext().performAndWait { other in
            change(try other.fetch(FetchRequest<Book>().where { $0.isbn == "1" })[0])
            try other.save()
        }
    }

    /// The pages of the first book in the store.
    private func storedPages(_ container: PersistentContainer) throws -> Int {
        try lathe(container.makeContext()).pages
    }

    @Test func withoutAPolicyASaveThrowsItsConflicts() async throws {
        let container = try Library.filled()
        let context = container.viewContext
        let book = try lathe(context)
        let id = book.objectID
        var lines: [String] = []
        func print(_ line: String) { lines.append(line) }

        // snippet: conflict.first
        book.pages = 200
        try await container.performBackgroundTask { other in
            try other.existingObject(with: id, as: Book.self).pages = 190
            try other.save()
        }
        do {
            try context.save()
        } catch let error as SaveConflictError {
            for conflict in error.conflicts {
                print("read \(conflict.base?[\Book.pages] ?? 0) pages")
                print("to save \(conflict.mine?[\Book.pages] ?? 0) pages")
                print("stored \(conflict.stored?[\Book.pages] ?? 0) pages")
            }
        }
        // end

        #expect(
            lines.joined(separator: "\n")
                == (try Article.named("WhenTwoWritersMeet").output("conflict.first")))
        #expect(try book.pages == 200 && context.hasChanges && storedPages(container) == 190)
    }

    @Test func theVersionIsOfTheWholeRowUntilItIsMerged() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let book = try lathe(context)
        try saveElsewhere(container) { $0.title = "Lathe" }
        book.pages = 200
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.map(\.kind) == [.version] && error.attempts == 1)
        context.rollback()
        #expect(book.title == "Lathe" && book.pages == 184)

        book.pages = 200
        try saveElsewhere(container) { $0.title = "The Lathe" }
        context.processPendingChanges()
        #expect(book.title == "The Lathe" && book.pages == 200)
        try context.save()
        #expect(try storedPages(container) == 200)
    }

    @Test func policiesAreSetWhereYouWant() throws {
        let model = try Library.model.get()
        // snippet: conflict.policy
        let container = try PersistentContainer.open(
            model: model, stores: [.memory()],
            defaultOptions: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        container.viewContext.mergePolicy = .perEntity(
            ["Author": .fill], default: .mergeByPropertyStoreTrump)
        // end
        #expect(container.viewContext.mergePolicy.description == "perEntity")
        #expect(container.makeContext().mergePolicy.description == "mergeByPropertyObjectTrump")
    }

    @Test func aClosureResolvesConflicts() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let book = try lathe(context)
        try saveElsewhere(container) { $0.pages += 10 }
        book.pages += 1

        // snippet: conflict.closure
        context.mergePolicy = .custom { conflict in
            guard let base = conflict.base?[\Book.pages], let mine = conflict.mine?[\Book.pages],
                let stored = conflict.stored?[\Book.pages]
            else { return .fail }
            // Both sides added pages.
            let settled = ConflictResolution.policy(.mergeByPropertyObjectTrump)
            return settled.setting(\Book.pages, to: stored + mine - base)
        }
        // end

        try context.save()
        #expect(try book.pages == 195 && storedPages(container) == 195)
    }

    @Test func aNewObjectBecomesTheStoredOne() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let id = try context.fetchObjectIDs(FetchRequest<Book>().where { $0.isbn == "1" })[0]

        // snippet: conflict.unique
        context.mergePolicy = .fill
        let book = Book(context: context)
        book.isbn = "1"  // the ISBN of a stored book
        book.title = "Lathe of Heaven"
        try context.save()
        // end

        #expect(book.objectID == id && Array(context.replacedObjectIDs.values) == [id])
        #expect(book.title == "Lathe of Heaven" && book.pages == 184 && book.author != nil)
        #expect(try context.count(for: FetchRequest<Book>()) == 3)
    }

    @Test func withoutAPolicyATakenValueIsAConflict() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let id = try lathe(context).objectID
        let book = Book(context: context)
        (book.isbn, book.title) = ("1", "Another")
        let error = try #require(throws: SaveConflictError.self) { try context.save() }
        #expect(error.conflicts.map(\.kind) == [.uniqueness(properties: ["isbn"], with: id)])
        #expect(error.conflicts[0].base == nil && error.coreDataCode == 133_021)
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(book.title == "Another" && book.author == nil, "nils count too")
    }

    @Test func aConflictIsResolvedByHand() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let book = try lathe(context)
        try saveElsewhere(container) { $0.pages = 190 }
        book.pages = 200

        // snippet: conflict.hand
        do {
            try context.save()
        } catch let error as SaveConflictError {
            try context.resolve(error, using: .overwrite)
            try context.save()
        }
        // end

        #expect(book.pages == 200 && !context.hasChanges)
        #expect(try storedPages(container) == 200)
    }

    @Test func aRefreshTakesTheStoredValuesOver() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let book = try lathe(context)
        try saveElsewhere(container) { ($0.pages, $0.title) = (190, "Lathe") }
        book.pages = 200
        #expect(throws: SaveConflictError.self) { try context.save() }
        try context.refresh(book, mergeChanges: true)
        #expect(book.pages == 200 && book.title == "Lathe")
        try context.save()
        #expect(try storedPages(container) == 200)
    }

    @Test func oneDoctorStaysOnCall() throws {
        let container = try PersistentContainer.open(
            model: ConflictModel.model.get(), stores: [.memory()],
            defaultOptions: ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        for name in ["Ann", "Bob"] { Doctor(context: container.viewContext).name = name }
        try container.viewContext.save()

        func goHome(_ name: String, _ context: ManagedObjectContext) throws {
            let me = try context.fetch(FetchRequest<Doctor>().where { $0.name == name })[0]
            // snippet: conflict.guard
            let others = try context.fetch(FetchRequest<Doctor>().where { $0.isOnCall == true })
                .filter { $0 !== me }
            for other in others { try context.guard(other) }
            if !others.isEmpty { me.isOnCall = false }
            // end
        }
        let first = container.makeContext()
        let second = container.makeContext()
        try goHome("Ann", first)
        try goHome("Bob", second)
        try first.save()
        let error = try #require(throws: SaveConflictError.self) { try second.save() }
        #expect(error.conflicts.count == 1 && second.guardedObjects.count == 1)
        #expect(throws: SaveConflictError.self) { try second.resolve(error, using: .overwrite) }
        second.rollback()
        try goHome("Bob", second)
        try second.save()
        let onCall = try container.makeContext().count(
            for: FetchRequest<Doctor>().where { $0.isOnCall == true })
        #expect(onCall == 1)
    }
}
