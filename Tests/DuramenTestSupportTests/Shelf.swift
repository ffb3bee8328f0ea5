import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import Foundation

// Managed classes as @Managed writes them, by hand, so that these tests need no macro.

final class Book: ManagedObject {
    var isbn: String {
        get { attribute(at: 1) }
        set { setAttribute(newValue, at: 1) }
    }
    var pages: Int {
        get { attribute(at: 2) }
        set { setAttribute(newValue, at: 2) }
    }
    var title: String {
        get { attribute(at: 3) }
        set { setAttribute(newValue, at: 3) }
    }
    var author: Author? {
        get { toOne(at: 0) }
        set { setToOne(newValue, at: 0) }
    }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Book",
            attributes: [
                .of(String.self, name: "isbn"), .of(Int.self, name: "pages", default: 0),
                .of(String.self, name: "title"),
            ],
            relationships: [.toOne("author", destination: Author.self)],
            uniquenessConstraints: [["isbn"]])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Book.isbn: "isbn", \Book.pages: "pages", \Book.title: "title", \Book.author: "author",
    ])
}

final class Author: ManagedObject {
    var name: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var books: ToMany<Book> { toMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Author", attributes: [.of(String.self, name: "name")],
            relationships: [.toMany("books", destination: Book.self, inverse: \Book.author)],
            uniquenessConstraints: [["name"]])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([\Author.name: "name", \Author.books: "books"])
}

/// The kinds of stores, each with fresh data.
enum StoreKind: String, CaseIterable {
    case memory, sqlite, lmdb

    func container(_ model: ManagedObjectModel) throws -> PersistentContainer {
        try PersistentContainer.open(model: model, stores: [description])
    }

    private var description: PersistentStoreDescription {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "DuramenTestSupport-\(UUID().uuidString)").path
        return switch self {
        case .memory: .memory()
        case .sqlite: .sqlite(path)
        case .lmdb: .lmdb(path)
        }
    }
}
