import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

struct Purge: ManagedObjectContextWork {
    var pages: Int
    func perform(in context: ManagedObjectContext) throws {
        let pages = pages
        for book in try context.fetch(FetchRequest<Book>().where { $0.pages < pages }) {
            context.delete(book)
        }
    }
}

/// What the article says of batches, history and operations.
@MainActor struct ArticleBatchTests {
    @Test func batchesNeedNoObjects() throws {
        struct Line {
            var isbn: String
            var title: String
            var pages: Int
            var author: String
        }
        let container = try Library.container()
        let context = container.viewContext
        let author = Author(context: context)
        author.name = "Stanisław Lem"
        try context.save()
        let lines = [
            Line(isbn: "1", title: "Solaris", pages: 200, author: author.name),
            Line(isbn: "2", title: "Summa Technologiae", pages: 1_000, author: author.name),
            Line(isbn: "3", title: "A Perfect Vacuum", pages: 0, author: author.name),
        ]
        // snippet: coredata.batches
        var next = lines.makeIterator()
        try context.execute(
            BatchInsertRequest(Book.self) { row in
                guard let line = next.next() else { return true }
                (row[\.isbn], row[\.title], row[\.pages]) = (line.isbn, line.title, line.pages)
                row[\.author, \.name] = line.author
                return false
            })
        try context.execute(
            BatchUpdateRequest<Book>().where { $0.pages > 900 }.set(\.pages, to: { $0.pages / 2 }))
        try context.execute(BatchDeleteRequest(FetchRequest<Book>().where { $0.pages == 0 }))
        // end
        let books = try context.fetch(FetchRequest<Book>().sorted(by: \.isbn))
        #expect(books.map(\.pages) == [200, 500])
        #expect(author.books.count == 2)
    }

    @Test func aConsumerFollowsTheHistory() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("library-\(UUID().uuidString).sqlite").path
        defer { try? SQLiteStoreType().destroy(.sqlite(path)) }
        let container = try PersistentContainer.open(
            model: Library.model.get(), stores: [.sqlite(path).keepingHistory(forDays: 30)])
        try container.newBackgroundContext().performAndWait { context in
            let author = Author(context: context)
            author.name = "Stanisław Lem"
            try context.save()
        }

        container.automaticallyMergesRemoteChanges = true
        let consumer = try container.historyConsumer(named: "search index")
        if case .transactions(let transactions, let token) = try consumer.next() {
            for transaction in transactions where transaction.author != "index" {
                for change in transaction.changes ?? [] {
                    print(change.changeType, change.changedObjectID, change.updatedProperties ?? [])
                }
            }
            try consumer.acknowledge(token)
        }

        guard case .transactions([], _) = try consumer.next() else {
            Issue.record("an acknowledged transaction is delivered again")
            return
        }
        let result = try container.persistentStoreCoordinator.execute(
            PersistentHistoryChangeRequest.fetchHistory(after: PersistentHistoryToken()))
        #expect(result.transactions.map { $0.changes?.map(\.changeType) } == [[.insert]])
        try container.close()
    }

    @Test func workIsAnOperation() async throws {
        let container = try Library.filled()
        let queue = OperationQueue()

        let purge = ManagedObjectContextOperation(Purge(pages: 200), container: container)
        purge.onCompletion = { result in print(result) }
        queue.addOperation(purge)

        await withCheckedContinuation { continuation in
            queue.addBarrierBlock { continuation.resume() }
        }
        try #require(purge.result).get()
        container.viewContext.processPendingChanges()
        #expect(try container.viewContext.count(for: FetchRequest<Book>()) == 2)
    }
}
