// The code of docs/coming-from-core-data.md and of the articles. DocumentationTests compares each
// block with the files of this folder, so change both together.
import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

enum Genre: Int16, CaseIterable, AttributeValue {
    case novel, essay, poetry
}

@Managed
final class Book: ManagedObject {
    @Attribute(.unique) var isbn: String
    @Attribute(.indexed) var title: String
    var pages: Int = 0
    var published: Date?
    var genre: Genre = .novel
    @Relationship var author: Author?
}

@Managed
final class Author: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Book.author, deleteRule: .cascade, values: true) var books: ToMany<Book>
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

extension Library {
    /// A library in memory with three saved books of one author.
    @MainActor static func filled() throws -> PersistentContainer {
        let container = try container()
        let context = container.viewContext
        let author = Author(context: context)
        author.name = "Ursula K. Le Guin"
        for (isbn, title, pages) in [
            ("1", "The Lathe of Heaven", 184), ("2", "The Dispossessed", 341),
            ("3", "The Left Hand of Darkness", 304),
        ] {
            let book = Book(context: context)
            (book.isbn, book.title, book.pages) = (isbn, title, pages)
            book.author = author
        }
        try context.save()
        return container
    }
}

@MainActor struct ArticleModelTests {
    @Test func anEnumerationIsStoredAsItsRawValue() throws {
        let container = try Library.filled()
        let book = try container.viewContext.fetch(FetchRequest<Book>())[0]
        #expect(book.genre == .novel)
        book.genre = .essay
        try container.viewContext.save()
        #expect(try book.storedValue(forKey: "genre") == .integer(1))
        let essays = FetchRequest<Book>().where { $0.genre == .essay }
        #expect(try container.viewContext.fetch(essays) == [book])
    }

    @Test func valuesHaveAToManyThatAsksForIt() throws {
        let container = try Library.filled()
        let author = try container.viewContext.fetch(FetchRequest<Author>())[0]
        let values = author.values
        let ids: [ManagedObjectID] = values.books
        #expect(Set(ids) == Set(author.books.objectIDs) && ids.count == 3)
    }

    @Test func compositesAreQueriedByTheirElements() throws {
        let container = try PersistentContainer.open(
            model: ManagedObjectModel(Atlas.self), stores: [.memory()])
        let context = container.viewContext
        let atlas = Atlas(context: context)
        atlas.format = Format(height: 45, width: 30)
        atlas.scales = [1: "1:25 000"]
        try context.save()
        let tall = try context.fetch(FetchRequest<Atlas>().where { $0.format.height > 30 })
        #expect(tall == [atlas] && tall[0].scales == [1: "1:25 000"])
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
}
