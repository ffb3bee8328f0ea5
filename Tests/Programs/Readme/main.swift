import Duramen
import DuramenMacros
import DuramenSQLite

@Managed
final class Author: ManagedObject {
    @Attribute(.unique) var name: String
    // The inverse is named on one side only.
    @Relationship(inverse: \Book.author, deleteRule: .cascade) var books: ToMany<Book>
}

@Managed
final class Book: ManagedObject {
    @Attribute(.unique) var title: String
    var pages: Int
    @Relationship var author: Author?
}

let container = try await PersistentContainer(
    model: ManagedObjectModel(Author.self, Book.self),
    stores: [.sqlite("library.sqlite")],
    // A new object with the unique value of a stored one updates it, and erases nothing in it.
    defaultOptions: ContextOptions(mergePolicy: .fill))

// Insert and save in the background. Only values and object IDs can leave the closure.
let found = try await container.performBackgroundTask { context in
    let found = try context.count(for: FetchRequest<Book>())
    let author = Author(context: context)
    author.name = "Ursula K. Le Guin"
    for (title, pages) in [("The Dispossessed", 341), ("The Left Hand of Darkness", 304)] {
        let book = Book(context: context)
        book.title = title
        book.pages = pages
        book.author = author
    }
    try context.save()
    return found
}
print("Found \(found) books.")

// The view context belongs to the main actor, which uses it without waiting.
let novels = try container.viewContext.fetch(
    FetchRequest<Book>().where { $0.pages > 300 && $0.author.name.beginsWith("Ursula") }
        .sorted(by: \.title))
for book in novels {
    print("\(book.title), \(book.pages) pages, by \(book.author?.name ?? "unknown")")
}
