import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import StoreTestSupport
import Testing

@Suite struct IndexTests {
    let folder = TemporaryFolder()
    private let toOne = "ZBOOK_ZAUTHOR_INDEX"

    private func open() throws -> any PersistentStore {
        try Library.open(folder.file())
    }

    private func indexes() throws -> [String] {
        try RawDatabase.texts(
            folder.file(),
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    }

    @Test func theIndexOfAToOneIsMadeWhenSomebodyGoesBackwards() throws {
        let store = try open()
        let person = try store.insert("Person", ["name": .text("a")])
        let book = try store.insert("Book", ["author": .objectID(person)])
        #expect(try !indexes().contains(toOne))
        let snapshot = try store.snapshot()
        let before = store.counters.statements
        let found = try snapshot.destinations(
            of: store.relationship("books", of: "Person"), from: [person])
        #expect(found == [[book]])
        // Making it is nobody's request.
        #expect(store.counters.statements - before == 1)
        #expect(try indexes().contains(toOne))
        #expect(try store.snapshot().generation == snapshot.generation)
        try store.close()
    }

    @Test func aSnapshotThatIsNoLongerTheNewestKeepsItsState() throws {
        let store = try open()
        let person = try store.insert("Person", ["name": .text("a")])
        let book = try store.insert("Book", ["author": .objectID(person)])
        let old = try store.snapshot()
        let second = try store.insert("Book", ["author": .objectID(person)])
        let relationship = try store.relationship("books", of: "Person")
        #expect(try old.destinations(of: relationship, from: [person]) == [[book]])
        #expect(try indexes().contains(toOne))
        #expect(try old.destinations(of: relationship, from: [person]) == [[book]])
        #expect(
            try store.snapshot().destinations(of: relationship, from: [person]) == [[book, second]])
        try store.close()
    }

    @Test func aCursorUnderWayGoesOnWhenAnIndexIsMade() throws {
        let store = try open()
        let person = try store.insert("Person", ["name": .text("a")])
        for _ in 0..<5 { try store.insert("Book", ["author": .objectID(person)]) }
        let snapshot = try store.snapshot()
        let cursor = try snapshot.cursor(store.query("Book"))
        #expect(try cursor.next(maximumRows: 2)?.count == 2)
        #expect(
            try snapshot.destinations(
                of: store.relationship("books", of: "Person"), from: [person])[0].count == 5)
        try store.insert("Book", ["author": .objectID(person)])
        #expect(try cursor.next(maximumRows: 10)?.count == 3)
        #expect(try snapshot.count(store.query("Book")) == 5)
        try store.close()
    }

    @Test func aPredicateOverAToOneMakesItsIndex() throws {
        let store = try open()
        let person = try store.insert("Person", ["name": .text("a")])
        let book = try store.insert("Book", ["author": .objectID(person)])
        #expect(try store.pushedKeys(store.query("Book")) == [book.key])
        #expect(try !indexes().contains(toOne))
        let query = try store.query("Book", compare("author", .equal, .objectID(person)))
        #expect(try store.pushedKeys(query) == [book.key])
        #expect(try indexes().contains(toOne))
        try store.close()
    }

    @Test func aHeldLockDelaysTheIndexAndNotTheAnswer() throws {
        let store = try open()
        let person = try store.insert("Person", ["name": .text("a")])
        let book = try store.insert("Book", ["author": .objectID(person)])
        var handle: OpaquePointer?
        try RawDatabase.hold(folder.file(), &handle)
        let snapshot = try store.snapshot()
        #expect(
            try snapshot.destinations(of: store.relationship("books", of: "Person"), from: [person])
                == [[book]])
        RawDatabase.release(handle)
        #expect(try !indexes().contains(toOne))
        try store.close()
        #expect(try indexes().contains(toOne))
    }

    @Test func maintainingMakesAllIndexes() throws {
        let store = try open()
        try (store as? any MaintainingStore)?.maintain()
        #expect(try indexes().contains(toOne))
        try store.close()
    }

    @Test func changedIndexesOfTheModelAreMadeAndDroppedAtOpening() throws {
        try open().close()
        // A foreign name is left alone; the index by title stands for one that the model had once.
        try RawDatabase.run(
            folder.file(),
            """
            DROP INDEX Z_Book_by_title; DROP INDEX ZBOOK_ZAUTHOR_INDEX;
            CREATE INDEX Z_Book_by_pages ON ZBOOK (ZPAGES);
            CREATE INDEX mine ON ZBOOK (ZRATING);
            """)
        let store = try open()
        #expect(
            try indexes() == [
                "ZPERSON_Z_ENT_INDEX", "Z_1TAGS_Z_4TAGS_INDEX", "Z_Book_UNIQUE_code",
                "Z_Book_by_title", "Z_Poet_UNIQUE_number", "mine",
            ])
        let person = try store.insert("Person", ["name": .text("a")])
        _ = try store.snapshot().destinations(
            of: store.relationship("books", of: "Person"), from: [person])
        #expect(try indexes().contains(toOne))
        try store.close()
    }

    @Test func manyRowsOfOneEntityAreInsertedByFewStatements() throws {
        let store = try open()
        let tag = try store.entity("Tag")
        let keys = try store.allocateKeys(100, for: tag.id)
        let rows = try keys.map { key in
            try store.row(
                "Tag", key: key, key % 3 == 0 ? [:] : ["label": .text(StoredText("tag \(key)"))])
        }
        let before = store.counters.statements
        try store.saved(ChangeSet(inserts: RowList(rows)))
        #expect(store.counters.statements - before < 20)
        let found = try store.snapshot().cursor(StoreQuery(entity: tag.id))
        let batch = try #require(try found.next(maximumRows: 1_000))
        #expect(batch.map(\.key) == Array(keys))
        for row in batch {
            #expect(row.isNull(0) == (row.key % 3 == 0))
            if row.key % 3 != 0 { #expect(row.string(0) == "tag \(row.key)") }
        }
        try store.close()
    }

    @Test func aKeyInUseIsNamedAmongManyRows() throws {
        let store = try open()
        let tag = try store.entity("Tag")
        let keys = try store.allocateKeys(64, for: tag.id)
        let used = keys.lowerBound + 40
        try store.saved(ChangeSet(inserts: [try store.row("Tag", key: used, [:])]))
        let rows = try keys.map { try store.row("Tag", key: $0, [:]) }
        let error = #expect(throws: StoreError.self) {
            try store.save(ChangeSet(inserts: RowList(rows)))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.objectID?.key == used)
        #expect(try store.snapshot().count(StoreQuery(entity: tag.id)) == 1)
        try store.close()
    }

    @Test func aUniqueValueTwiceAmongManyRowsIsAConflict() throws {
        let store = try open()
        let keys = try store.allocateKeys(50, for: try store.entity("Book").id)
        let rows = try keys.map { key in
            try store.row("Book", key: key, ["code": .text(StoredText("\(key % 45)"))])
        }
        guard case .conflicted(let conflicts) = try store.save(ChangeSet(inserts: RowList(rows)))
        else {
            Issue.record("saved")
            return
        }
        #expect(!conflicts.isEmpty)
        #expect(try store.snapshot().count(store.query("Book")) == 0)
        try store.close()
    }
}
