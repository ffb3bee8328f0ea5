import Duramen
import DuramenLMDB
import DuramenSQLite
import Foundation
import Testing

/// What the article says of backups.
@MainActor struct BackupAndRestoreTests {
    private func path(_ name: String) -> String {
        FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString)-\(name)").path
    }

    @Test(arguments: ["sqlite", "lmdb"])
    func storesAreBackedUpRestoredAndRescued(kind: String) async throws {
        func description(_ name: String) -> PersistentStoreDescription {
            kind == "sqlite" ? .sqlite(path(name)) : .lmdb(path(name))
        }
        let store = description("library")
        let place = path("monday")
        let rescued = description("rescued")
        var log: [String] = []
        defer { for one in [store, rescued] { try? one.destroyStore() } }
        let model = try Library.model.get()
        let container = try PersistentContainer.open(model: model, stores: [store])
        let book = Book(context: container.viewContext)
        (book.isbn, book.title) = ("1", "Solaris")
        try container.viewContext.save()

        // snippet: backup.make
        // Others may read and write meanwhile.
        let backup = try await container.backup(to: place, verifying: true)
        // end

        // snippet: backup.verify
        for finding in try backup.verifyStore() { log.append("\(finding)") }
        // end

        #expect(log.isEmpty)
        container.viewContext.delete(book)
        try container.viewContext.save()
        #expect(throws: StoreError.self) { try store.replaceStore(with: backup) }

        // snippet: backup.restore
        try container.close()
        try store.replaceStore(with: backup)
        // end

        let again = try PersistentContainer.open(model: model, stores: [store])
        #expect(try again.viewContext.fetch(FetchRequest<Book>()).map(\.title) == ["Solaris"])
        try again.close()

        // snippet: backup.salvage
        let report = try store.salvage(into: rescued)
        for loss in report.losses { log.append(loss) }
        // end

        #expect(log.isEmpty)
        let saved = try PersistentContainer.open(model: model, stores: [rescued])
        #expect(try saved.viewContext.fetch(FetchRequest<Book>()).map(\.title) == ["Solaris"])
        try saved.close()
        try backup.destroyStore()
    }
}
