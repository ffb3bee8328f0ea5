import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Indexes of to-ones are made when something first needs them; the others follow the model.
@Suite struct IndexTests {
    let folder = TemporaryFolder()

    private func open(_ model: ManagedObjectModel = Library.model) throws -> LMDBStore {
        try StoreOpening(.lmdb(folder.file()).durability(.relaxed)).open(model: model)
    }

    /// The properties of the complete indexes, and the number of all entries.
    private func state(_ store: LMDBStore) throws -> (indexes: [String], entries: Int) {
        let snapshot = try store.snapshot()
        return try snapshot.withRows { (rows) throws(StoreError) in
            let table = snapshot.schema
            let list = try MetaTable(transaction: rows.transaction, table: table.tables.meta)
                .indexList()
            let names = list.entries.map { entry in
                entry.signature.split(separator: ".").filter { Int($0) == nil && $0 != "unique" }
                    .joined(separator: ".")
            }
            return (names.sorted(), rows.transaction.count(table.tables.index))
        }
    }

    private func hasToOne(_ store: LMDBStore) throws -> Bool {
        try state(store).indexes.contains("Book.author")
    }

    private func books(
        _ store: LMDBStore, of person: ManagedObjectID, in snapshot: LMDBSnapshot? = nil
    ) throws -> [ManagedObjectID] {
        let relationship = try store.relationship("books", of: "Person")
        return try (snapshot ?? store.snapshot()).destinations(of: relationship, from: [person])[0]
    }

    @Test("The index of a to-one is made when somebody goes backwards, and not before")
    func madeWhenNeeded() throws {
        let store = try open()
        let person = try store.insert("Person")
        let book = try store.insert("Book", ["author": .objectID(person)])
        _ = try store.keys(store.query("Book", compare("title", .equal, .text("x"))))
        #expect(try !hasToOne(store))
        let snapshot = try store.snapshot()
        let before = store.counters.statements
        #expect(try books(store, of: person, in: snapshot) == [book])
        // Making it is nobody's request.
        #expect(store.counters.statements - before == 1)
        #expect(try hasToOne(store))
        #expect(try store.snapshot().generation == snapshot.generation)
        try store.close()
    }

    @Test("A condition on a to-one makes its index and uses it")
    func madeByACondition() throws {
        let store = try open()
        let people = try store.insert("Person", all: (0..<40).map { _ in [:] })
        try store.insert(
            "Book", all: (0..<400).map { ["author": .objectID(people[$0 % 40])] })
        let query = try store.query("Book", compare("author", .equal, .objectID(people[3])))
        #expect(try store.keys(query).count == 10)
        #expect(try hasToOne(store))
        let snapshot = try store.snapshot()
        let isIndexed = try snapshot.withRows { (rows) throws(StoreError) in
            let plan = try QueryPlanner(
                question: Question(query, schema: snapshot.schema), rows: rows,
                numbers: snapshot.indexNumbers(rows)
            ).plan()
            if case .index = plan { return true }
            return false
        }
        #expect(isIndexed)
        try store.close()
    }

    @Test("A store that was open before another one made an index keeps it right")
    func theOtherStoreKeepsIt() throws {
        let first = try open()
        let second = try open()
        let people = try first.insert("Person", all: [[:], [:]])
        let book = try second.insert("Book", ["author": .objectID(people[0])])
        #expect(try books(first, of: people[0]) == [book])
        let other = try second.insert("Book", ["author": .objectID(people[0])])
        #expect(try books(first, of: people[0]) == [book, other])
        try second.saved(
            ChangeSet(updates: [try second.update(book, ["author": .objectID(people[1])])]))
        try second.delete(other)
        #expect(try books(first, of: people[0]) == [])
        #expect(try books(first, of: people[1]) == [book])
        #expect(try books(second, of: people[1]) == [book])
        try first.close()
        try second.close()
    }

    @Test("Another process that saves keeps the index right")
    func theOtherProcessKeepsIt() async throws {
        let path = folder.file()
        let store = try open()
        let person = try store.insert("Person")
        let book = try store.insert("Book", ["author": .objectID(person)])
        #expect(try books(store, of: person) == [book])
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try Library.open(path)
            let person = ManagedObjectID(
                store: other.handle, entity: try other.entity("Person").handle, key: 1)
            try other.insert("Book", ["author": .objectID(person)])
            try other.close()
        }
        #expect(try books(store, of: person).count == 2)
        try store.close()
    }

    @Test("A store that is only read answers without the index, and makes none")
    func readOnly() throws {
        let store = try open()
        let people = try store.insert("Person", all: [["name": .text("a")], ["name": .text("b")]])
        let ids = try store.insert(
            "Book", all: (0..<10).map { ["author": .objectID(people[$0 % 2])] })
        try store.close()
        let reading = try StoreOpening(.lmdb(folder.file()).readOnly()).open(model: Library.model)
        #expect(try books(reading, of: people[1]).map(\.key) == [2, 4, 6, 8, 10])
        #expect(
            try reading.keys(
                reading.query("Book", compare("author", .equal, .objectID(people[0]))))
                == [1, 3, 5, 7, 9])
        let many = FetchPredicate.comparison(
            PredicateComparison(.count(keyPath: ["books"]), .equal, .constant(.integer(5))))
        #expect(try reading.keys(reading.query("Person", many)) == [1, 2])
        #expect(try !hasToOne(reading))
        #expect(ids.count == 10)
        try reading.close()
    }

    @Test("A snapshot that is no longer the newest keeps its state when an index is made")
    func olderSnapshot() throws {
        let store = try open()
        let person = try store.insert("Person")
        let book = try store.insert("Book", ["author": .objectID(person)])
        let old = try store.snapshot()
        let second = try store.insert("Book", ["author": .objectID(person)])
        #expect(try books(store, of: person, in: old) == [book])
        #expect(try hasToOne(store))
        #expect(try books(store, of: person, in: old) == [book])
        #expect(try books(store, of: person) == [book, second])
        try store.close()
    }

    @Test("A cursor under way goes on in its own pages when an index is made and saves follow")
    func aCursorUnderWay() throws {
        let store = try open()
        let person = try store.insert("Person")
        func title(_ number: Int) -> StoredValue { .text(StoredText("title \(1_000 + number)")) }
        try store.insert(
            "Book", all: (0..<900).map { ["author": .objectID(person), "title": title($0)] })
        let snapshot = try store.snapshot()
        let cursor = try snapshot.cursor(
            store.query("Book", sort: [FetchSortDescriptor("title")], limit: 5_000))
        var keys: [Int64] = try cursor.next(maximumRows: 2)?.map(\.key) ?? []
        #expect(try books(store, of: person, in: snapshot).count == 900)
        // What the index took the place of would be written over.
        for round in 0..<6 {
            try store.insert(
                "Book", all: (0..<200).map { ["title": title(round * 200 + $0)] })
        }
        while let batch = try cursor.next(maximumRows: 50) { keys += batch.map(\.key) }
        #expect(keys == Array(1...900))
        try store.close()
    }

    @Test("An index that the model no longer has is dropped, and one that it has again is made")
    func indexesOfTheModel() throws {
        let titles = (0..<200).map { ["title": StoredValue.text(StoredText("\($0)"))] }
        let first = try open()
        try first.insert("Book", all: titles)
        #expect(try state(first).indexes == ["Book.code", "Book.title"])
        #expect(try state(first).entries == 400)
        try first.close()
        let second = try open(Library.makeModel(indexes: []))
        #expect(try state(second).indexes == ["Book.code"])
        #expect(try state(second).entries == 200)
        let new = try second.insert("Book", ["title": .text("new")])
        try second.close()
        let both = [IndexDescription("title"), IndexDescription("pages", "title")]
        let third = try open(Library.makeModel(indexes: both))
        #expect(try state(third).indexes == ["Book.code", "Book.pages.title", "Book.title"])
        #expect(try state(third).entries == 603)
        #expect(
            try third.keys(third.query("Book", compare("title", .equal, .text("new"))))
                == [new.key])
        try third.close()
    }

    @Test("Two stores with other indexes on one file answer the same, whoever saved last")
    func differentIndexes() throws {
        let first = try open()
        let second = try open(Library.makeModel(indexes: [IndexDescription("pages")]))
        for round in 0..<3 {
            let store = round % 2 == 0 ? first : second
            try store.insert(
                "Book",
                all: (0..<100).map {
                    ["title": .text(StoredText("\($0)")), "pages": .integer(Int64($0))]
                })
            for store in [first, second] {
                let byTitle = try store.query("Book", compare("title", .equal, .text("7")))
                let byPages = try store.query("Book", compare("pages", .equal, .integer(7)))
                #expect(try store.keys(byTitle).count == round + 1)
                #expect(try store.keys(byPages) == store.keys(byTitle))
            }
        }
        try first.close()
        try second.close()
    }

    @Test("A constraint whose values rows share is not enforced until none do")
    func aBrokenConstraint() throws {
        let store = try open()
        try store.insert("Book", all: [["title": .text("a")], ["title": .text("a")]])
        let unique = Library.makeModel(unique: [["code"], ["title"]], indexes: [])
        // A constraint is part of the model's version.
        #expect(
            storeErrorCode { try StoreOpening(.lmdb(folder.file())).open(model: unique) }
                == .incompatibleModel)
        // What a migration would do.
        let use = try StoreOpening(.lmdb(folder.file())).openEnvironment()
        let transaction = try Transaction.writing(
            use.environment, durability: .full, timeoutSeconds: 1)
        let meta = try ModelCheck.meta(transaction, path: folder.file())
        let catalog = try #require(try meta.catalog())
        let tables = try #require(
            try StoreTables.open(transaction, roots: catalog.roots.values, creates: false))
        let schema = try StoreSchema(
            model: unique, handle: store.handle, path: folder.file(),
            values: use.environment.folder.values, catalog: catalog, tables: tables)
        let upkeep = IndexUpkeep(schema: schema, transaction: transaction)
        let list = try upkeep.reconcile()
        #expect(list.unenforcedConstraints(of: schema).map(\.properties) == [["title"]])
        // Both rows are in the index all the same.
        let place = try #require(schema.indexes.firstIndex { $0.unenforcedSignature != nil })
        #expect(list.numbers(of: [schema.indexes[place]]) != [nil])
        #expect(try upkeep.reconcile(looksAgain: true) == list)
        transaction.abort()
        try store.close()
    }
}
