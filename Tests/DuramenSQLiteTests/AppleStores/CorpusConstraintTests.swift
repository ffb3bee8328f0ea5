import DuramenModel
import DuramenSQLite
import DuramenStore
import StoreTestSupport
import Testing

extension CorpusStoreTests {
    /// A store in which Core Data enforces a constraint over a to-one: each number of a page once
    /// in each book.
    @Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    struct CorpusConstraintTests {
        let folder = TemporaryFolder()

        @Test func theConstraintIsPartOfTheModelAndEnforced() throws {
            let name = try #require(
                Corpus.stores.first {
                    $0.contains("history-4f3a303bf4") && $0.hasSuffix("SampleModel2V1.sqlite")
                })
            let description = PersistentStoreDescription.sqlite(
                try Corpus.copy(name, to: folder)
            ).readOnly()
            let stored = try SQLiteStoreType().storedModel(of: description)
            let store = try description.open(model: stored.model)
            defer { try? store.close() }
            let page = try store.entity("Page")
            #expect(page.uniquenessConstraints.map(\.properties) == [["number", "book"]])
            #expect(try store.snapshot().unenforcedConstraints().isEmpty)
            let findings = try StoreVerification(of: store).run()
            #expect(findings.filter { $0.kind == .uniqueness }.isEmpty)
        }
    }
}
