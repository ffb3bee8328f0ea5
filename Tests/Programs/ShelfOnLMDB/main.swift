import Duramen
import DuramenLMDB
import DuramenMacros
import DuramenSQLite
import Foundation

@Managed
final class Book: ManagedObject {
    @Attribute(.unique) var title: String
    var added: Date
    var isRead: Bool = false
    @Relationship var author: Author?
}

@Managed
final class Author: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Book.author) var books: ToMany<Book>
}

let container = try await PersistentContainer(
    model: ManagedObjectModel(Book.self, Author.self),
    stores: [.lmdb("shelf.lmdb")],
    defaultOptions: ContextOptions(mergePolicy: .mergeByPropertyStoreTrump))

/// Finds the book with a title, or inserts one.
func book(titled title: String, in context: ManagedObjectContext) throws -> Book {
    let request = FetchRequest<Book>().where { $0.title == title }
    if let known = try context.fetch(request).first { return known }
    let book = Book(context: context)
    book.title = title
    book.added = .now
    return book
}

// The list follows every change of its context, and every save of another context.
let list = try FetchedResults(
    FetchRequest<Book>().sorted(by: \.isRead).sorted(by: \.title), in: container.viewContext)

let arguments = Array(CommandLine.arguments.dropFirst())
try await container.performBackgroundTask { context in
    switch arguments.first {
    case "add" where arguments.count == 3:
        let author = Author(context: context)
        author.name = arguments[2]
        try book(titled: arguments[1], in: context).author = author
    case "read" where arguments.count == 2:
        try book(titled: arguments[1], in: context).isRead = true
    default: break
    }
    try context.save()
}

if let books = list.objects {
    for book in books {
        let author = book.author.map { ", \($0.name) (\($0.books.count))" } ?? ""
        print(book.isRead ? "[x]" : "[ ]", book.title + author)
    }
}
