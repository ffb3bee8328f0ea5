// The code of the README. A test of the documents finds each line of the README's blocks in here, so
// change both together.
import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

@Managed
final class Book: ManagedObject {
    @Attribute(.unique) var isbn: String
    @Attribute(.indexed) var title: String
    var pages: Int
    var published: Date?
    @Relationship var author: Author?
}

@Managed
final class Author: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Book.author, deleteRule: .cascade) var books: ToMany<Book>
}

@Composite
struct Format {
    var height: Double = 0
    var width: Double?
}

@Managed(indexes: [["format.height"]])
final class Atlas: ManagedObject {
    @Attribute(.composite) var format: Format?
    @Attribute(.codable("Scales")) var scales: [Int: String] = [:]
}

@Managed
final class Order: ManagedObject {
    var customer: String = ""
    @Relationship(inverse: \Item.order, deleteRule: .cascade) var items: ToMany<Item>
    @Attribute(.derived("items.price.@sum")) var total: Decimal = 0
    @Attribute(.derived("canonical:(customer)")) var sortName: String?
}

@Managed
final class Item: ManagedObject {
    var price: Decimal = 0
    @Relationship var order: Order?
}

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

@MainActor
struct ReadmeExampleTests {
    private let path = FileManager.default.temporaryDirectory
        .appending(path: "\(UUID().uuidString).sqlite").path

    @Test func theExampleOfTheReadmeRuns() async throws {
        let path = path
        defer {
            for suffix in ["", "-wal", "-shm", ".lock"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let container = try await PersistentContainer(
            model: ManagedObjectModel(Book.self, Author.self),
            stores: [.sqlite(path)])

        let count = try await container.performBackgroundTask { context in
            let author = Author(context: context)
            author.name = "Ursula K. Le Guin"
            let book = Book(context: context)
            book.isbn = "9780441478125"
            book.title = "The Left Hand of Darkness"
            book.pages = 304
            book.author = author
            try context.save()
            return author.books.count
        }

        let long = try container.viewContext.fetch(
            FetchRequest<Book>().where { $0.pages >= 300 && $0.author.name == "Ursula K. Le Guin" }
                .sorted(by: \.title).limit(50))
        for book in long { print(book.title, book.author?.name ?? "unknown") }

        let shelf = try container.viewContext.fetch(
            FetchRequest<Book>().prefetching(\.author, \.books))
        try container.viewContext.faulting(.forbidden) {
            for book in shelf { print(book.title, book.author?.books.count ?? 0) }
        }
        let all = try container.viewContext.fetchLazily(FetchRequest<Book>().batches(of: 50))
        #expect(shelf == long && Array(all) == long)

        let books = try await container.fetch(Book.Values.self, FetchRequest().sorted(by: \.title))
        let titles = try await container.fetch(FetchRequest<Book>().select(\.title, \.pages))
        #expect(books == long.map(\.values))
        #expect(titles.map(\.0) == books.map(\.title))
        #expect(titles.map(\.1) == [304])

        let sheet = ManagedObjectContext(parent: container.viewContext)
        try sheet.existingObject(with: long[0].objectID, as: Book.self).pages = 286
        try sheet.save()
        #expect(long[0].pages == 286 && container.viewContext.hasChanges)
        container.viewContext.rollback()

        let thick = try await container.viewContext.fetchOffOwner(
            FetchRequest<Book>().where { $0.pages >= 1000 })
        for book in thick { book.pages += 1 }
        try await container.viewContext.saveOffOwner()
        #expect(thick.isEmpty)

        let undoManager = ContextUndoManager()
        container.viewContext.undoManager = undoManager
        long[0].pages = 300
        try container.viewContext.undo()
        #expect(long[0].pages == 304 && undoManager.canRedo)

        let controller = FetchedResultsController(
            fetchRequest: FetchRequest<Book>().sorted(by: "author.name").sorted(by: \.title),
            managedObjectContext: container.viewContext, sectionedBy: { $0.author.name })
        try controller.performFetch()
        let events = controller.events()
        let teller = Task.detached {
            for await case .changed(let snapshot, let changes) in events {
                print(changes.objects.count, "changes,", snapshot.numberOfItems, "books")
            }
        }
        #expect(controller.sections?.map(\.name) == ["Ursula K. Le Guin"])
        teller.cancel()

        #expect(count == 1)
        #expect(long.map(\.title) == ["The Left Hand of Darkness"])

        let author = try #require(long[0].author)
        try await Importer(container: container).rename(author.objectID, to: "U. K. Le Guin")
        let names = try container.viewContext.fetchObjectIDs(
            FetchRequest<Author>().where { $0.name == "U. K. Le Guin" })
        #expect(names == [author.objectID])
        try container.close()
    }

    @Test func aConflictIsReportedAsTheReadmeSays() throws {
        let container = try Library.container()
        let context = container.viewContext
        let author = Author(context: context)
        author.name = "Mine"
        try context.save()
        try container.newBackgroundContext().performAndWait { other in
            try other.fetch(FetchRequest<Author>())[0].name = "Stored"
            try other.save()
        }
        author.name = "Mine again"
        do {
            try context.save()
            Issue.record("The save did not conflict.")
        } catch let error as SaveConflictError {
            #expect(error.conflicts[0].stored?["name"] == .text("Stored"))
            try context.resolve(error, using: .overwrite)
            try context.save()
        }
        #expect(author.name == "Mine again")
    }

    @Test func batchesDoWhatTheReadmeSays() throws {
        struct Line {
            var isbn: String
            var title: String
            var pages: Int
            var author: String
        }
        let container = try Library.container()
        let context = container.viewContext
        let author = Author(context: context)
        author.name = "Stanisław Lem"
        try context.save()
        let lines = [
            Line(isbn: "1", title: "Solaris", pages: 200, author: author.name),
            Line(isbn: "2", title: "Summa Technologiae", pages: 1_000, author: author.name),
            Line(isbn: "3", title: "A Perfect Vacuum", pages: 0, author: author.name),
        ]
        var next = lines.makeIterator()
        try context.execute(
            BatchInsertRequest(Book.self) { row in
                guard let line = next.next() else { return true }
                (row[\.isbn], row[\.title], row[\.pages]) = (line.isbn, line.title, line.pages)
                row[\.author, \.name] = line.author
                return false
            })
        try context.execute(
            BatchUpdateRequest<Book>().where { $0.pages > 900 }.set(\.pages, to: { $0.pages / 2 }))
        try context.execute(BatchDeleteRequest(FetchRequest<Book>().where { $0.pages == 0 }))
        let books = try context.fetch(FetchRequest<Book>().sorted(by: \.isbn))
        #expect(books.map(\.pages) == [200, 500])
        #expect(author.books.count == 2)
    }

    @Test func historyIsToldAsTheReadmeSays() throws {
        let model = try Library.model.get()
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("library-\(UUID().uuidString).sqlite").path
        defer { try? SQLiteStoreType().destroy(.sqlite(path)) }
        let container = try PersistentContainer.open(
            model: model, stores: [.sqlite(path).keepingHistory(forDays: 30)])
        container.automaticallyMergesRemoteChanges = true
        let consumer = try container.historyConsumer(named: "search index")
        try container.newBackgroundContext().performAndWait { context in
            let author = Author(context: context)
            author.name = "Stanisław Lem"
            try context.save()
        }
        if case .transactions(let transactions, let token) = try consumer.next() {
            for transaction in transactions where transaction.author != "index" {
                for change in transaction.changes ?? [] {
                    print(change.changeType, change.changedObjectID, change.updatedProperties ?? [])
                }
            }
            try consumer.acknowledge(token)
            #expect(transactions.map { $0.changes?.map(\.changeType) } == [[.insert]])
        }
        guard case .transactions([], _) = try consumer.next() else {
            Issue.record("what was acknowledged comes again")
            return
        }
        try container.close()
    }

    @Test func whatIsDerivedIsThereOnceItIsSaved() throws {
        let model = try ManagedObjectModel(Order.self, Item.self)
        let container = try PersistentContainer.open(model: model, stores: [.memory()])
        let context = container.viewContext
        let order = Order(context: context)
        order.customer = "Ödön"
        for price in [3, 4] as [Decimal] {
            let item = Item(context: context)
            item.price = price
            item.order = order
        }
        #expect(order.total == 0 && order.sortName == nil)
        try context.save()
        #expect(order.total == 7 && order.sortName == "odon")
        #expect(try context.fetch(FetchRequest<Order>().where { $0.total > 6 }) == [order])
        let values = order.values
        #expect(values.total == 7)
        // Values bring back what was set, and the store the rest.
        let copy = try Order(values, context: context)
        try context.save()
        #expect(copy.customer == "Ödön" && copy.sortName == "odon")
    }

    @Test func conflictsAreSettledAsTheReadmeSays() throws {
        let container = try Library.container()
        let context = container.viewContext
        let book = Book(context: context)
        (book.isbn, book.title, book.pages) = ("9780156027601", "Solaris", 200)
        try context.save()
        try container.newBackgroundContext().performAndWait { other in
            try other.fetch(FetchRequest<Book>())[0].pages += 10
            try other.save()
        }
        book.pages += 1
        context.mergePolicy = .custom { conflict in
            guard let base = conflict.base?[\Book.pages], let mine = conflict.mine?[\Book.pages],
                let stored = conflict.stored?[\Book.pages]
            else { return .fail }
            let settled = ConflictResolution.policy(.mergeByPropertyObjectTrump)
            return settled.setting(\Book.pages, to: stored + mine - base)
        }
        try context.save()
        #expect(book.pages == 211)
    }
}

enum Library {
    // One model for the whole program: making one is cheap, but equal models are still two.
    static let model = Result { try ManagedObjectModel(Book.self, Author.self) }

    static func container() throws -> PersistentContainer {
        try PersistentContainer.open(model: model.get(), stores: [.memory()])
    }
}

struct ShelfTests {
    @Test @MainActor func aBookIsFoundByItsAuthor() throws {
        let context = try Library.container().viewContext
        let author = Author(context: context)
        author.name = "Stanisław Lem"
        let book = Book(context: context)
        book.author = author
        #expect(Array(author.books) == [book])
        #expect(try context.count(for: FetchRequest<Book>()) == 1)
    }
}
