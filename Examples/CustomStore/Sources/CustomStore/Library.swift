import Duramen

// Managed classes written by hand: they say what `@Managed` would, so that the program builds
// without swift-syntax. Slots go by the names of attributes and to-ones, to-manys are counted for
// themselves.

final class Author: ManagedObject {
    var name: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var books: ToMany<Book> { toMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Author", attributes: [.of(String.self, name: "name")],
            relationships: [
                .toMany(
                    "books", destination: Book.self, deleteRule: .cascade, inverse: \Book.author)
            ], uniquenessConstraints: [["name"]])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([\Author.books: "books", \Author.name: "name"])
}

final class Book: ManagedObject {
    var author: Author? {
        get { toOne(at: 0) }
        set { setToOne(newValue, at: 0) }
    }
    var title: String {
        get { attribute(at: 1) }
        set { setAttribute(newValue, at: 1) }
    }
    var year: Int {
        get { attribute(at: 2) }
        set { setAttribute(newValue, at: 2) }
    }
    var genres: ToMany<Genre> { toMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Book",
            attributes: [
                .of(String.self, name: "title"), .of(Int.self, name: "year", default: 0),
            ],
            relationships: [
                .toOne("author", destination: Author.self),
                .toMany("genres", destination: Genre.self, inverse: \Genre.books),
            ])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Book.author: "author", \Book.genres: "genres", \Book.title: "title", \Book.year: "year",
    ])
}

final class Genre: ManagedObject {
    var name: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var books: ToMany<Book> { toMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Genre", attributes: [.of(String.self, name: "name")],
            relationships: [.toMany("books", destination: Book.self)],
            uniquenessConstraints: [["name"]])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([\Genre.books: "books", \Genre.name: "name"])
}
