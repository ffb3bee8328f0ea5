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

    /// Saves a book, makes a backup, and deletes the book.
    private func makeBackup(
        of store: PersistentStoreDescription, at place: String
    ) async throws -> PersistentStoreDescription {
        let container = try PersistentContainer.open(
            model: try Library.model.get(), stores: [store])
        let book = Book(context: container.viewContext)
        (book.isbn, book.title) = ("1", "Solaris")
        try container.viewContext.save()

        // snippet: backup.make
        // Others may read and write meanwhile.
        let backup = try await container.backup(to: place, verifying: true)
        // end

        container.viewContext.delete(book)
        try container.viewContext.save()
        #expect(throws: StoreError.self) { try store.replaceStore(with: backup) }
        try container.close()
        return backup
    }

    @Test func aStoreIsOpenedWithChecksums() throws {
        let model = try Library.model.get()
        let path = path("library")

        // snippet: backup.checksums
        let store = PersistentStoreDescription.sqlite(path).rowChecksums()
        // end

        defer { try? store.destroyStore() }
        let container = try PersistentContainer.open(model: model, stores: [store])
        let book = Book(context: container.viewContext)
        (book.isbn, book.title) = ("1", "Solaris")
        try container.viewContext.save()
        try container.close()
        #expect(try titles(.sqlite(path)) == ["Solaris"])
    }

    private func titles(_ store: PersistentStoreDescription) throws -> [String] {
        let container = try PersistentContainer.open(
            model: try Library.model.get(), stores: [store])
        defer { try? container.close() }
        return try container.viewContext.fetch(FetchRequest<Book>()).map(\.title)
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
        let backup = try await makeBackup(of: store, at: place)

        // snippet: backup.verify
        for finding in try backup.verifyStore() { log.append("\(finding)") }
        // end

        #expect(log.isEmpty)

        // snippet: backup.restore
        try store.replaceStore(with: backup)
        // end

        #expect(try titles(store) == ["Solaris"])

        // snippet: backup.salvage
        let report = try store.salvage(into: rescued)
        for loss in report.losses { log.append(loss) }
        // end

        #expect(log.isEmpty)
        #expect(try titles(rescued) == ["Solaris"])
        try backup.destroyStore()
    }
}
