import Duramen
import ExampleSupport
import Foundation

/// The books of a context by their authors.
struct BookList {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Authors by name, and the books of each by year.
    var text: String {
        get throws {
            let request = FetchRequest<Book>().sorted(by: "author.name").sorted(by: \.year)
                // One round trip for the authors, and one for the subjects.
                .prefetching(\.author).prefetching(\.subjects)
            var lines: [String] = []
            var author: Author?
            for book in try context.fetch(request) {
                if book.author != author {
                    author = book.author
                    lines.append(heading(of: book.author))
                }
                let subjects = book.subjects.map(\.label).sorted().joined(separator: ", ")
                lines.append("  \(book.year)  \(book.title) (\(subjects))".printable)
            }
            return lines.joined(separator: "\n")
        }
    }

    private func heading(of author: Author?) -> String {
        guard let author else { return "without an author" }
        let year = author.born.map { ", born \($0.formatted(.iso8601.year()))" } ?? ""
        return "\(author.name)\(year)".printable
    }
}
