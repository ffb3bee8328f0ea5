import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

/// What the article says of running in production.
@MainActor struct OperationsTests {
    enum Kind: CaseIterable { case sqlite, lmdb }

    private func path() -> String {
        FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)").path
    }

    private func description(_ kind: Kind) -> PersistentStoreDescription {
        kind == .sqlite ? .sqlite(path()) : .lmdb(path())
    }

    private func open(_ store: PersistentStoreDescription) throws -> PersistentContainer {
        try PersistentContainer.open(model: Library.model.get(), stores: [store])
    }

    private func add(_ isbn: String, to container: PersistentContainer) throws {
        let book = Book(context: container.viewContext)
        (book.isbn, book.title) = (isbn, "Title \(isbn)")
        try container.viewContext.save()
    }

    private func isbns(_ store: PersistentStoreDescription) throws -> [String] {
        let container = try open(store)
        let books = try container.viewContext.fetch(FetchRequest<Book>().sorted(by: \.isbn))
        defer { try? container.close() }
        return books.map(\.isbn)
    }

    @Test func aStoreIsDescribed() async throws {
        let path = path()
        defer { try? PersistentStoreDescription.lmdb(path).destroyStore() }
        let model = try Library.model.get()

        // snippet: operations.open
        let store = PersistentStoreDescription.lmdb(path)
            .durability(.full)
            .timeout(seconds: 5)
            .fileCheck(.whenChanged)
        let container = try await PersistentContainer(model: model, stores: [store])
        // end

        try add("1", to: container)
        try container.close()
        #expect(try isbns(store) == ["1"])
        #expect(PersistentStoreDescription.sqlite(path).timeoutSeconds == 10)
        #expect(PersistentStoreDescription.sqlite(path).durability == .full)
        #expect(PersistentStoreDescription.sqlite(path).fileCheck == .automatic)
        #expect(PersistentStoreDescription.sqlite(path).snapshotLeaseSeconds == 300)
    }

    @Test(arguments: Kind.allCases) func aSoundStoreHasNoFindings(kind: Kind) throws {
        let store = description(kind)
        defer { try? store.destroyStore() }
        let container = try open(store)
        try add("1", to: container)
        var lines: [String] = []
        func log(_ line: String) { lines.append(line) }

        // snippet: operations.verify
        for finding in try container.verify() {
            log("\(finding.place ?? "store"): \(finding)")
        }
        // end

        #expect(lines.isEmpty)
        try container.close()
    }

    @Test(arguments: Kind.allCases) func housekeepingIsDone(kind: Kind) throws {
        let store = description(kind)
        defer { try? store.destroyStore() }
        let container = try open(store)
        for number in 1...20 { try add("\(number)", to: container) }
        container.viewContext.reset()

        // snippet: operations.maintain
        if let store = container.persistentStoreCoordinator.store as? any MaintainingStore {
            let report = try store.maintain()
            print("\(report.bytesFreed) bytes freed, complete: \(report.isComplete)")
        }
        // end

        let opened = try store.open(model: Library.model.get())
        let again = try #require(opened as? any MaintainingStore).maintain()
        #expect(again.endedSnapshots == 0 && again.removedFiles == 0)
        try opened.close()
        try container.close()
        #expect(try isbns(store).count == 20)
        let memory = try Library.container().persistentStoreCoordinator.store
        #expect(!(memory is any MaintainingStore))
    }

    @Test func workIsCounted() throws {
        let container = try Library.filled()
        let context = container.viewContext
        let books = try context.fetch(FetchRequest<Book>())
        context.reset()

        // snippet: operations.count
        let counters = container.persistentStoreCoordinator.store.counters
        let before = counters.statements
        _ = try context.fetch(FetchRequest<Book>().where { $0.pages > 200 })
        print("\(counters.statements - before) statements")
        // end

        #expect(counters.statements > before && counters.rowsDecoded > 0 && books.count == 3)
    }

    @Test func roundTripsAreReported() throws {
        let container = try Library.filled()
        let context = container.newBackgroundContext()
        try context.performAndWait { context in
            var lines: [String] = []
            func log(_ line: String) { lines.append(line) }
            func show(_ name: String) {}

            // snippet: operations.trips
            let books = try context.fetch(FetchRequest<Book>())
            try context.faulting(.reported(to: { trip in log("\(trip)") })) {
                for book in books { show(book.author?.name ?? "unknown") }
            }
            // end

            #expect(lines.count { $0.hasPrefix("fault of") } == 1, "\(lines)")
        }
    }
}
