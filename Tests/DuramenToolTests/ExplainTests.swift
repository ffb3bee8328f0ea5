import DuramenLMDB
import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@Suite struct ExplainTests {
    let folder = TemporaryFolder()

    private static let secret = "swordfish"

    @Test("SQLite says its statement and the engine's plan, without values")
    func sqlite() throws {
        let shelf = try Shelf(.sqlite(folder.file("shelf.sqlite")))
        let explain = try Tool(
            "explain", shelf.path, "Book", "--where",
            "pages > 17 AND title MATCHES %@ AND random() < 0.5",
            "--arguments", "[\"\(Self.secret)\"]", "--sort", "pages:desc", "--limit", "3")
        #expect(explain.status == 0)
        #expect(explain.errors == "")
        let lines = explain.output.components(separatedBy: "\n")
        #expect(
            lines.prefix(7) == [
                "store     sqlite", "entity    Book", "pushed    pages > ? AND title MATCHES ?",
                "residual  random() < ?", "order     pages descending, by the store",
                "window    skip 0, take 3, by the library", "steps",
            ])
        #expect(lines[7].hasPrefix("  SELECT t0.Z_PK"))
        #expect(lines[7].contains("\"ZPAGES\" > ?"))
        #expect(lines.dropFirst(8).contains { $0.hasPrefix("  SEARCH t0 USING INDEX") })
        #expect(!explain.output.contains("17") && !explain.output.contains(Self.secret))
    }

    @Test("LMDB says which index it takes, by which conditions")
    func lmdb() throws {
        let store = try PersistentStoreDescription.lmdb(folder.file("a.lmdb"))
            .open(model: Shelf.model)
        try store.insert("Book", all: (0..<200).map { ["pages": .integer($0)] })
        #expect(
            try steps(compare("pages", .equal, .integer(17)), in: store) == [
                "search the index Book (pages) by pages == ?, rows by key",
                "keep the rows with pages == ?",
            ])
        #expect(
            try steps(
                nil, sort: [FetchSortDescriptor("pages", ascending: false)], limit: 3, in: store)
                == ["walk through the index Book (pages), backwards"])
        #expect(
            try steps(compare("title", .contains, .text("swordfish")), in: store) == [
                "walk through the table of Book", "keep the rows with title CONTAINS ?",
            ])
        #expect(try steps(nil, in: store) == ["walk through the table of Book"])
        let id = try store.insert("Book")
        #expect(
            try steps(.comparison(.init(.selfObject, .equal, .constant(.objectID(id)))), in: store)
                == ["look up 1 key(s)", "keep the rows with SELF == ?"])
        try store.close()
    }

    @Test("An index that is made when it is needed is announced, and not made")
    func deferredIndexes() throws {
        let stores: [PersistentStoreDescription] = [
            .sqlite(folder.file("a.sqlite")), .lmdb(folder.file("b.lmdb")),
        ]
        for description in stores {
            let store = try description.open(model: Shelf.model)
            let person = try store.insert("Person")
            try store.insert("Book", ["author": .objectID(person)])
            let condition = compare("author", .equal, .objectID(person))
            for _ in 0..<2 {
                let steps = try steps(condition, in: store)
                #expect(steps.last?.hasPrefix("the first run makes ") == true, "\(steps)")
            }
            _ = try store.keys(store.query("Book", condition))
            let steps = try steps(condition, in: store)
            #expect(steps.last?.hasPrefix("the first run") == false, "\(steps)")
            try store.close()
        }
    }

    @Test("The memory store says that it walks, keeps and sorts")
    func memory() throws {
        let store = try PersistentStoreDescription.memory().open(model: Shelf.model)
        let query = try store.query(
            "Person", compare("name", .equal, .text("swordfish")),
            sort: [FetchSortDescriptor("name", comparison: .caseInsensitive)], offset: 2)
        let explanation = try QueryExecution(query, on: store, in: store.snapshot()).explanation()
        #expect(
            explanation.description == """
                store     memory
                entity    Person and its sub-entities
                pushed    name == ?
                residual  no condition
                order     name ascending without case, by the store
                window    skip 2, take all, by the store
                steps
                  walk through the rows of Person by key
                  keep the rows with name == ?
                  sort the rows
                """)
        try store.close()
    }

    @Test("A query of an entity that the model has not is refused")
    func unknownEntity() throws {
        let stores: [PersistentStoreDescription] = [
            .memory(), .sqlite(folder.file("a.sqlite")), .lmdb(folder.file("b.lmdb")),
        ]
        for description in stores {
            let store = try description.open(model: Shelf.model)
            let snapshot = try store.snapshot()
            let explaining = try #require(snapshot as? any ExplainingSnapshot)
            let (known, unknown) = (EntityID(index: 0), EntityID(index: 99))
            #expect(
                storeErrorCode {
                    try explaining.steps(of: PreparedQuery(StoreQuery(entity: unknown)))
                } == .invalidRequest)
            let execution = try QueryExecution(StoreQuery(entity: known), on: store, in: snapshot)
            try store.close()
            #expect(storeErrorCode { try execution.explanation() } == .closed)
        }
    }

    private func steps(
        _ predicate: FetchPredicate?, sort: [FetchSortDescriptor] = [], limit: Int? = nil,
        in store: any PersistentStore
    ) throws -> [String] {
        let query = try store.query("Book", predicate, sort: sort, limit: limit)
        return try QueryExecution(query, on: store, in: store.snapshot()).explanation().steps
    }
}
