import Duramen
import DuramenMemory
import Testing

@testable import FeedImport

/// The program over the sample of the repository.
@MainActor
@Suite struct FeedImportTests {
    @Test func theSampleIsImportedWithoutItsWrongElement() async throws {
        let container = try await PersistentContainer.library(.memory())
        let report = try await container.importBooks(from: FeedImport.sample)
        #expect(report.elementCount == 45)
        #expect(report.entities["Book"] == .init(inserted: 44))
        #expect(report.failures.map(\.pointer) == ["/books/21/publication/year"])
        #expect(report.failures.first?.reason == "'Book.year' needs a number.")
        let context = container.viewContext
        #expect(try context.count(for: FetchRequest<Book>()) == 44)
        #expect(try context.count(for: FetchRequest<Book>().where { $0.author == nil }) == 0)
        // Nothing of a refused element is left behind.
        #expect(
            try context.count(for: FetchRequest<Author>().where { $0.name == "Anonymous" }) == 0)
    }

    @Test func theSecondImportWritesNothing() async throws {
        let container = try await PersistentContainer.library(.memory())
        let first = try await container.importBooks(from: FeedImport.sample)
        let second = try await container.importBooks(from: FeedImport.sample)
        #expect(second.inserted == 0 && second.updated == 0)
        #expect(second.unchanged == first.inserted)
        #expect(FeedReport(report: second).description.contains("Nothing was written"))
        #expect(FeedReport(report: first).description.contains("objects were written."))
    }

    @Test func booksAreListedByAuthorAndYear() async throws {
        let container = try await PersistentContainer.library(.memory())
        _ = try await container.importBooks(from: FeedImport.sample)
        let text = try BookList(container.viewContext).text
        #expect(
            text.contains(
                """
                Jane Austen, born 1775
                  1811  Sense and Sensibility (Love, Sisters)
                  1813  Pride and Prejudice (Love, Sisters)
                  1815  Emma (Love)
                """))
        let authors = text.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        #expect(authors.count == Set(authors).count)
        #expect(authors == authors.sorted())
    }
}
