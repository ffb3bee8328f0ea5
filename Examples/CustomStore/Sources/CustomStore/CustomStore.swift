import Duramen
import Foundation
import JSONStore

/// Stores a few objects in a store that the library does not know, prints the file, and reads it
/// again.
@main
struct CustomStore {
    @MainActor static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "duramen-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "library.json").path
        let model = try ManagedObjectModel(Author.self, Book.self, Genre.self)
        // One string chooses the kind of the store; a store of one's own is one more element.
        let description = try StoreTypes([.json]).description(for: "json:\(path)")

        let container = try await PersistentContainer(model: model, stores: [description])
        try await container.performBackgroundTask(fill)
        try container.close()
        print(try String(contentsOfFile: path, encoding: .utf8))

        let again = try await PersistentContainer(model: model, stores: [description])
        let books = try again.viewContext.fetch(
            FetchRequest<Book>().where { $0.author.name == "Ursula K. Le Guin" && $0.year < 1974 }
                .sorted(by: \.year))
        for book in books {
            let genres = book.genres.map(\.name).sorted().joined(separator: ", ")
            print("\(book.year)  \(book.title), by \(book.author?.name ?? "unknown"): \(genres)")
        }
        try again.close()
    }

    @Sendable private static func fill(_ context: ManagedObjectContext) throws {
        let author = Author(context: context)
        author.name = "Ursula K. Le Guin"
        let fantasy = Genre(context: context)
        fantasy.name = "fantasy"
        let science = Genre(context: context)
        science.name = "science fiction"
        for (year, title, genre) in [
            (1968, "A Wizard of Earthsea", fantasy), (1969, "The Left Hand of Darkness", science),
            (1974, "The Dispossessed", science),
        ] {
            let book = Book(context: context)
            book.title = title
            book.year = year
            book.author = author
            book.genres.insert(genre)
        }
        try context.save()
    }
}
