import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Synchronization
import Testing

/// A class with all that batches leave out, and what they keep.
enum ThousandsModel {
    @Managed
    final class Title: ManagedObject {
        @Attribute(.unique) var isbn: String
        @Attribute(maximum: 5_000) var pages: Int = 100
        @Attribute(.derived("canonical:(isbn)")) var key: String?
        @Relationship var shelf: Shelf?
        @Attribute(.transient) var note: String?

        override func awakeFromInsert() { note = "awake" }
        override func willSave() { Calls.count.add(1, ordering: .relaxed) }
        override func prepareForDeletion() { Calls.count.add(1, ordering: .relaxed) }
        override class var propertyRules: [PropertyRule] {
            [PropertyRule(\Title.isbn) { isbn, _ in if isbn == "bad" { throw Refused() } }]
        }
    }

    @Managed
    final class Shelf: ManagedObject {
        var name: String
        @Relationship(inverse: \Title.shelf, deleteRule: .cascade) var titles: ToMany<Title>
        @Relationship(inverse: \Label.shelf, deleteRule: .nullify) var labels: ToMany<Label>
    }

    @Managed
    final class Label: ManagedObject {
        var text: String
        @Relationship(.required) var shelf: Shelf?
    }

    struct Refused: Error {}

    enum Calls { static let count = Atomic<Int>(0) }

    static let model = Result { try ManagedObjectModel(Title.self, Shelf.self, Label.self) }
}

/// What the article says of work with thousands of objects.
@MainActor @Suite(.serialized) struct ThousandsOfObjectsTests {
    private struct Line {
        var isbn: String
        var title: String
        var author: String
    }

    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let lines = (1...2_500).map {
        Line(isbn: "\($0)", title: "Title \($0)", author: $0 % 2 == 0 ? "Lem" : "Butler")
    }

    init() throws {
        container = try Library.container()
        context = container.viewContext
        for name in ["Lem", "Butler"] { Author(context: context).name = name }
        try context.save()
    }

    @Test func rowsAreInsertedWithoutObjects() async throws {
        let books = try FetchedResults(FetchRequest<Book>().sorted(by: \.isbn), in: context)
        let lines = lines
        // snippet: thousands.insert
        let count = try await container.performBackgroundTask { context in
            var rest = lines.makeIterator()
            let request = BatchInsertRequest(Book.self) { row in
                guard let line = rest.next() else { return true }
                row[\.isbn] = line.isbn
                row[\.title] = line.title
                row[\.author, \.name] = line.author
                return false
            }
            return try context.execute(request).count
        }
        // end
        #expect(count == 2_500 && books.objects?.count == 2_500)
        #expect(books.objects?[0].author?.books.count == 1_250)
        let again = BatchInsertRequest(Book.self, objects: [["isbn": "7", "title": "again"]])
        let error = #expect(throws: StoreError.self) { try context.execute(again) }
        #expect(error?.code == .uniquenessViolated)
        let stranger = BatchInsertRequest(Book.self) { row in
            (row[\.isbn], row[\.title], row[\.author, \.name]) = ("0", "0", "nobody")
            return false
        }
        #expect(throws: ContextError.self) { try context.execute(stranger) }
        #expect(try context.count(for: FetchRequest<Book>()) == 2_500)
    }

    @Test func rowsAreInsertedOrUpdated() throws {
        let known = Book(context: context)
        (known.isbn, known.title, known.pages) = ("1", "Solaris", 204)
        try context.save()
        // snippet: thousands.upsert
        context.mergePolicy = .fill
        let rows: [[String: any Sendable]] = [
            ["isbn": "1", "title": "Solaris (1961)", "author.name": "Lem"],
            ["isbn": "2", "title": "Kindred", "author.name": "Butler"],
        ]
        var request = BatchInsertRequest(Book.self, objects: rows)
        request.resultType = .objectIDs
        let result = try context.execute(request)
        print(result.count, result.changedObjectIDs.inserted.count)
        // end
        #expect(result.count == 2 && result.objectIDs.count == 2)
        #expect(result.changedObjectIDs.inserted.count == 1)
        #expect(known.title == "Solaris (1961)" && known.pages == 204)
        #expect(known.author?.name == "Lem" && result.objectIDs.contains(known.objectID))
        context.mergePolicy = .overwrite
        try context.execute(BatchInsertRequest(Book.self, objects: [rows[0]]))
        #expect(known.pages == 0)
        context.mergePolicy = .custom { _ in .fail }
        let error = #expect(throws: StoreError.self) {
            try context.execute(BatchInsertRequest(Book.self, objects: rows))
        }
        #expect(error?.code == .uniquenessViolated)
    }

    @Test func rowsAreUpdatedAndDeleted() async throws {
        for (number, pages) in [0, 300, 900].enumerated() {
            let book = Book(context: context)
            (book.isbn, book.title, book.pages) = ("\(number)", "Title \(number)", pages)
        }
        try context.save()
        let undo = ContextUndoManager()
        context.undoManager = undo
        let held = try context.fetch(FetchRequest<Book>().sorted(by: \.isbn))
        // snippet: thousands.update
        let request = BatchUpdateRequest<Book>().where { $0.pages > 800 }
            .set(\.genre, to: .essay)
            .set(\.pages) { $0.pages / 2 }
        let updated = try context.execute(request)

        let empty = FetchRequest<Book>().where { $0.pages == 0 }
        let deleted = try context.execute(BatchDeleteRequest(empty))
        print("\(updated.count) updated, \(deleted.count) deleted")
        // end
        #expect(updated.count == 1 && deleted.count == 1)
        #expect(held[2].pages == 450 && held[2].genre == .essay && held[0].isDeleted)
        #expect(!undo.canUndo)
    }

    @Test func objectsAreImportedInChunks() async throws {
        let lines = lines
        // snippet: thousands.chunks
        try await container.performBackgroundTask { context in
            for (number, line) in lines.enumerated() {
                let book = Book(context: context)
                book.isbn = line.isbn
                book.title = line.title
                if number % 1_000 == 999 { try context.save() }
            }
            try context.save()
        }
        // end
        #expect(try context.count(for: FetchRequest<Book>()) == 2_500)
        try container.newBackgroundContext().performAndWait { context in
            weak var first: Book?
            for number in 0..<3_000 {
                let book = Book(context: context)
                (book.isbn, book.title) = ("more \(number)", "More")
                if number == 0 { first = book }
                if number == 999 {
                    try context.save()
                    #expect(first != nil)
                    context.trim()
                    #expect(first == nil)
                }
            }
            try context.save()
        }
    }

    @Test func savesReleaseObjects() throws {
        try container.newBackgroundContext().performAndWait { context in
            weak var first: Book?
            for number in 0..<4_000 {
                let book = Book(context: context)
                (book.isbn, book.title) = ("\(number)", "Title")
                if number == 0 { first = book }
                if number % 1_000 == 999 { try context.save() }
            }
            #expect(first == nil)
        }
    }

    @Test func anOperationSavesChunks() async throws {
        let lines = lines
        let queue = OperationQueue()
        // snippet: thousands.operation
        let load = ManagedObjectContextOperation(container: container) { operation, context in
            operation.progress.totalUnitCount = Int64(lines.count)
            for line in lines {
                let book = Book(context: context)
                (book.isbn, book.title) = (line.isbn, line.title)
                operation.progress.completedUnitCount += 1
                if operation.progress.completedUnitCount % 1_000 == 0 {
                    try operation.save(context)
                }
            }
        }
        queue.addOperation(load)
        // end
        await withCheckedContinuation { continuation in
            queue.addBarrierBlock { continuation.resume() }
        }
        try #require(load.result).get()
        context.processPendingChanges()
        #expect(try context.count(for: FetchRequest<Book>()) == 2_500)
    }

    @Test func batchesReportAndStop() throws {
        try context.execute(
            BatchInsertRequest(
                Book.self, objects: lines.map { ["isbn": $0.isbn, "title": $0.title] }))
        let counts = Mutex<[Int]>([])
        // snippet: thousands.progress
        let flag = CancellationFlag()
        var request = BatchUpdateRequest<Book>().set(\.pages, to: 1)
        request.cancellation = flag
        request.progress = { count in print(count) }
        // end
        request.progress = { count in
            counts.withLock { $0.append(count) }
            if count >= 2_000 { flag.cancel() }
        }
        let error = #expect(throws: StoreError.self) { try context.execute(request) }
        #expect(error?.code == .cancelled && counts.withLock { $0.first } == 1_000)
        #expect(try context.count(for: FetchRequest<Book>().where { $0.pages == 1 }) == 0)
    }

    @Test(arguments: [false, true]) func batchesLeaveOut(isSQLite: Bool) throws {
        typealias Title = ThousandsModel.Title
        typealias Shelf = ThousandsModel.Shelf
        let path = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString).sqlite").path
        defer { try? SQLiteStoreType().destroy(.sqlite(path)) }
        let container = try PersistentContainer.open(
            model: ThousandsModel.model.get(), stores: [isSQLite ? .sqlite(path) : .memory()])
        let context = container.viewContext
        let shelf = Shelf(context: context)
        shelf.name = "top"
        try context.save()
        let calls = ThousandsModel.Calls.count.load(ordering: .relaxed)
        // Limits, rules and hooks are left out.
        try context.execute(
            BatchInsertRequest(
                Title.self,
                objects: [
                    ["isbn": "bad", "pages": 9_999, "shelf.name": "top"], ["isbn": "Ä"],
                ]))
        let titles = try context.fetch(FetchRequest<Title>().sorted(by: \.isbn))
        #expect(titles.map(\.pages) == [9_999, 100] && titles.map(\.note) == [nil, nil])
        // Inverses and derived attributes are kept.
        #expect(titles.map(\.key) == ["bad", "a"] && Array(shelf.titles) == [titles[0]])
        try context.execute(
            BatchUpdateRequest<Title>().where { $0.isbn == "Ä" }.set(\.pages, to: 7_777)
                .set(\.isbn, to: "Ö"))
        #expect(titles[1].pages == 7_777 && titles[1].key == "o")
        let nothing = BatchUpdateRequest<Title>().set("isbn", to: .null)
        #expect(throws: StoreError.self) { try context.execute(nothing) }
        let unique = BatchUpdateRequest<Title>().set(\.isbn, to: "same")
        #expect(throws: StoreError.self) { try context.execute(unique) }
        let missing = BatchInsertRequest(Title.self, objects: [["pages": 1]])
        #expect(throws: ContextError.self) { try context.execute(missing) }
        // A mandatory to-one is checked by updates only.
        try context.execute(
            BatchInsertRequest(
                ThousandsModel.Label.self,
                objects: [["text": "a"], ["text": "b", "shelf.name": "top"]]))
        let cleared = BatchUpdateRequest<ThousandsModel.Label>().set(\.shelf, to: Shelf?.none)
        #expect(throws: StoreError.self) { try context.execute(cleared) }
        // Delete rules are kept.
        try context.execute(BatchDeleteRequest(FetchRequest<Shelf>()))
        #expect(try context.fetch(FetchRequest<Title>()) == [titles[1]])
        let labels = FetchRequest<ThousandsModel.Label>()
        #expect(try context.fetch(labels).map(\.shelf) == [nil, nil])
        #expect(ThousandsModel.Calls.count.load(ordering: .relaxed) == calls)
        // What was changed here, too, conflicts.
        titles[1].pages = 5
        try container.newBackgroundContext().performAndWait { other in
            _ = try other.execute(BatchUpdateRequest<Title>().set(\.pages, to: 6))
        }
        #expect(throws: SaveConflictError.self) { try context.save() }
        try container.close()
    }
}
