import Duramen
import DuramenMacros
import DuramenSQLite
import Foundation

@Managed
final class Book: ManagedObject {
    @Attribute(.unique) var title: String
    var added: Date
}

let container = try await PersistentContainer(
    model: ManagedObjectModel(Book.self),
    stores: [.sqlite("shelf.sqlite")],
    defaultOptions: ContextOptions(mergePolicy: .mergeByPropertyStoreTrump))
let context = container.viewContext

for title in CommandLine.arguments.dropFirst() {
    let book = Book(context: context)
    book.title = title
    book.added = .now
}
try context.save()

for book in try context.fetch(FetchRequest<Book>().sorted(by: \.title)) {
    print(book.title)
}
