import Duramen
import DuramenMemory
import DuramenStore
import DuramenTestKit
import Foundation
import Testing

/// What the article says of a store of your own.
struct WritingAStoreTests {
    // snippet: store.suite
    @Test(arguments: ConformanceSuite.cases)
    func aDictionaryStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let outcome = try claim.run(
            StoreFixture(largeRowBytes: 1 << 20) { _ in .dictionary(UUID().uuidString) })
        if case .skipped(let missing) = outcome {
            let undeclared: StoreCapabilities = [
                .durable, .maintenance, .batches, .history, .changeObservation,
                .derivedAttributes, .schemaMigration, .groupSaves,
            ]
            #expect(missing.isSubset(of: undeclared))
        }
    }
    // end

    @Test func aDictionaryStoreAgreesWithTheMemoryStore() throws {
        // snippet: store.workload
        try RandomWorkload.compare(
            seeds: 1..<4, first: StoreFixture { _ in .memory() },
            second: StoreFixture { _ in .dictionary(UUID().uuidString) })
        // end
    }

    @Test @MainActor func aContainerOpensIt() throws {
        defer { try? PersistentStoreDescription.dictionary("shelf").destroyStore() }
        // snippet: store.use
        let container = try PersistentContainer.open(
            model: ManagedObjectModel(Book.self, Author.self), stores: [.dictionary("shelf")])
        // end
        let book = Book(context: container.viewContext)
        (book.isbn, book.title) = ("1", "Solaris")
        try container.viewContext.save()
        let found = FetchRequest<Book>().where { $0.title == "Solaris" }
        #expect(
            try container.newBackgroundContext().performAndWait { try $0.count(for: found) } == 1)
        try container.close()
    }
}
