import Duramen
import DuramenMacros

/// A book of the feed.
@Managed
final class Book: ManagedObject {
    /// The name that the feed gives the book; imports find it by this.
    @Attribute(.unique) var identifier: String
    @Attribute(.indexed) var title: String
    /// The year of the first edition.
    var year: Int
    /// The language of the original, such as `en`.
    var language: String?
    @Relationship var author: Author?
    @Relationship var subjects: ToMany<Subject>
}

@Managed
final class Author: ManagedObject {
    @Attribute(.unique) var name: String
    var born: Date?
    @Relationship(inverse: \Book.author) var books: ToMany<Book>
}

/// What a book is about.
@Managed
final class Subject: ManagedObject {
    @Attribute(.unique) var label: String
    @Relationship(inverse: \Book.subjects) var books: ToMany<Book>
}

extension PersistentContainer {
    /// Opens a store of books.
    static func library(_ store: PersistentStoreDescription) async throws -> PersistentContainer {
        try await PersistentContainer(
            model: ManagedObjectModel(Book.self, Author.self, Subject.self), stores: [store])
    }

    /// Imports a feed of books: a document with an array at `/books`.
    func importBooks(from path: String) async throws -> ImportReport {
        try await `import`(from: .file(path, at: "/books"), into: Book.self) {
            $0.rename("id", to: \.identifier)
            $0.rename("fullTitle", to: \.title)
            // Values of nested objects.
            $0.rename("/publication/year", to: \.year)
            $0.rename("/publication/language", to: \.language)
            // Authors are objects or bare names in the feed, and subjects are bare labels. Their
            // natural keys are the unique attributes of the classes, as that of books is.
        }
    }
}
