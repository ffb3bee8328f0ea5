import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// The history in Core Data's own tables, as plain SQL finds it.
@Suite struct HistoryLayoutTests {
    let folder = TemporaryFolder()

    private func opened() throws -> any PersistentStore {
        try PersistentStoreDescription.sqlite(folder.file()).keepingHistory()
            .open(model: Library.model)
    }

    private func integers(_ sql: String) throws -> [Int] {
        try RawDatabase.texts(folder.file(), sql).map { Int($0) ?? -1 }
    }

    @Test func transactionsAndChangesStandInCoreDatasTables() throws {
        let store = try opened()
        var insertion = ChangeSet(author: "Ann", contextName: "desk")
        insertion.inserts = [try store.row("Book", key: 1, ["code": .text("a")])]
        let first = try store.saved(insertion).generation.rawValue
        let book = ManagedObjectID(
            store: store.handle, entity: try store.entity("Book").handle, key: 1)
        try store.saved(
            ChangeSet(updates: [try store.update(book, ["title": .text("t"), "code": .text("b")])]))
        try store.delete(book)
        #expect(
            try integers("SELECT Z_PK FROM ATRANSACTION ORDER BY 1")
                == [first, first + 1, first + 2].map(Int.init))
        #expect(try integers("SELECT DISTINCT Z_ENT FROM ATRANSACTION") == [16_002])
        #expect(try integers("SELECT DISTINCT Z_ENT FROM ACHANGE") == [16_001])
        #expect(try integers("SELECT ZCHANGETYPE FROM ACHANGE ORDER BY Z_PK") == [0, 1, 2])
        #expect(
            try integers("SELECT DISTINCT ZENTITY FROM ACHANGE")
                == integers("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'"))
        // author code cover isLent isbn link pages price | printed rating tags title: places 1 and
        // 11.
        #expect(
            try RawDatabase.texts(
                folder.file(), "SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1")
                == ["4010"])
        #expect(try integers("SELECT count(*) FROM ACHANGE WHERE ZCOLUMNS IS NULL") == [2])
        // Names stand once.
        #expect(
            try RawDatabase.texts(
                folder.file(),
                "SELECT ZNAME FROM ATRANSACTIONSTRING JOIN ATRANSACTION AS t "
                    + "ON t.ZAUTHORTS = ATRANSACTIONSTRING.Z_PK") == ["Ann"])
        #expect(try integers("SELECT count(*) FROM ATRANSACTIONSTRING") == [4])
        // Whoever hands out keys next, Core Data too, begins behind those that are used.
        for (entity, table) in [
            (16_001, "ACHANGE"), (16_002, "ATRANSACTION"), (16_003, "ATRANSACTIONSTRING"),
        ] {
            let (most, used) = (
                try integers("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)")[0],
                try integers("SELECT max(Z_PK) FROM \(table)")[0]
            )
            #expect(most >= used && used > 0)
        }
        try store.close()
    }

    /// Core Data writes its own transactions, without our saves.
    @Test func transactionsOfCoreDataAreReadAndGoneOnBehind() throws {
        let store = try opened()
        let id = try store.insert("Book", ["code": .text("a")])
        let first = try #require(try store.historyTracking().historyExtent()?.last)
        let entity = try integers("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'")[0]
        try RawDatabase.run(
            folder.file(),
            """
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHOR) VALUES (5000, 16002, 1.0, 'Mac');
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
            VALUES (9000, 16001, 1, \(entity), \(id.key), 5000, X'40');
            """)
        let history = try store.historyTracking()
        let foreign = try history.history(HistoryRequest(after: first))
        #expect(foreign.map(\.author) == ["Mac"] && foreign[0].transactionNumber == 5_000)
        #expect(foreign[0].changes?.map(\.updatedProperties) == [["code"]])
        try store.insert("Book", ["code": .text("b")])
        let next = try history.history(HistoryRequest(after: 5_000))
        #expect(next.map(\.transactionNumber) == [5_001])
        #expect(next[0].changes?.map(\.changeID) == [9_001])
        #expect(try store.snapshot().generation.rawValue == 5_001)
        try store.close()
    }

    /// Of a change of an entity that the model does not have, nothing can be said.
    @Test func changesThatCannotBeSaidAreLeftOut() throws {
        let store = try opened()
        try store.insert("Book")
        try RawDatabase.run(
            folder.file(),
            """
            INSERT INTO ACHANGE (ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
            SELECT 7, 1, 1, Z_PK FROM ATRANSACTION;
            INSERT INTO ACHANGE (ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
            SELECT 1, 999, 1, Z_PK, 'text' FROM ATRANSACTION;
            INSERT INTO ACHANGE (ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
            SELECT 1, 1, 1, Z_PK, X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF' FROM ATRANSACTION;
            """)
        let told = try store.historyTracking().history(
            HistoryRequest(after: store.historyTracking().historyExtent()?.deletedThrough ?? 0))
        #expect(told.count == 1 && told[0].changes?.count == 2)
        try store.close()
    }

    @Test(
        .enabled(if: Corpus.folder != nil, "\(Corpus.missing)"),
        arguments: [("V1", 5_468), ("V2", 126)])
    func theHistoryOfCoreDatasStoresIsRead(version: String, changes: Int) throws {
        let store = try #require(
            Corpus.stores.first { $0.hasSuffix("SampleModel2_\(version).sqlite") })
        let description = PersistentStoreDescription.sqlite(try Corpus.copy(store, to: folder))
            .readOnly()
        let stored = try SQLiteStoreType().storedModel(of: description)
        let opened = try description.open(model: stored.model)
        let told = try opened.historyTracking().history(HistoryRequest())
        #expect(told.map(\.transactionNumber) == [1])
        #expect(told[0].bundleID == "com.apple.dt.xctest.tool" && told[0].processID == "xctest")
        let found = try #require(told[0].changes)
        #expect(found.count == changes && found.allSatisfy { $0.changeType == .insert })
        // What it inserted is there.
        #expect(try opened.snapshot().rows(for: found.map(\.changedObjectID)).count == changes)
        try opened.close()
    }

    /// Whether the disk is full in a statement or in the commit, the names that the save would have
    /// added are gone with it.
    @Test(.enabled(if: SmallDisk.isPermitted))
    func aCommitThatFailsLeavesNothingToBelieveIn() throws {
        guard let disk = SmallDisk(in: folder, kibibytes: 700) else { return }
        defer { disk.unmount() }
        let store = try PersistentStoreDescription.sqlite(disk.path + "/library.sqlite")
            .keepingHistory().durability(.relaxed).open(model: Library.model)
        var authors: [String] = []
        func save(_ number: Int, books: Int) throws {
            let keys = try store.allocateKeys(books, for: store.entity("Book").id)
            var change = ChangeSet(author: "author \(number)", contextName: "context \(number)")
            for key in keys {
                change.inserts.append(
                    try store.row("Book", key: key, ["title": .letters(20_000)]))
            }
            try store.saved(change)
            authors.append("author \(number)")
        }
        try save(0, books: 1)
        // In a statement, since so much is written before the end, and in the commit.
        for number in 1..<40 {
            let code = storeErrorCode { try save(number, books: number % 2 == 0 ? 1 : 200) }
            #expect(code == .diskFull || code == nil && number % 2 == 0)
        }
        try #require(authors.count < 38 && disk.grow(kibibytes: 64_000))
        for number in 40..<50 { try save(number, books: 1) }
        let transactions = try store.historyTracking().history(HistoryRequest())
        #expect(transactions.map(\.author) == authors)
        #expect(
            transactions.map(\.contextName)
                == authors.map { $0.replacing("author", with: "context") })
        let numbers = transactions.flatMap { $0.changes?.map(\.changeID) ?? [] }
        #expect(numbers == Array(1...Int64(numbers.count)) && numbers.count == authors.count)
        try store.close()
    }

    @Test func numbersOfDeletedTransactionsOfCoreDataAreNotGivenAgain() throws {
        let store = try opened()
        try store.insert("Book", ["code": .text("a")])
        for number in 2_000...2_010 {
            try RawDatabase.run(
                folder.file(),
                "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (\(number), 16002, 0)")
        }
        let tracking = try store.historyTracking()
        #expect(try tracking.historyExtent()?.last == 2_010)
        try tracking.deleteHistory(HistoryDeletion())
        #expect(try tracking.historyExtent() == HistoryExtent(deletedThrough: 2_010, last: 2_010))
        try store.insert("Book", ["code": .text("b")])
        #expect(
            try tracking.history(HistoryRequest(after: 2_010)).map(\.transactionNumber) == [2_011])
        #expect(
            storeErrorCode { _ = try tracking.history(HistoryRequest(after: 976)) }
                == .historyTokenExpired)
        try store.close()
    }

    @Test(arguments: [Int64.min, .max])
    func transactionsOfExtremeNumbersEndNothing(number: Int64) throws {
        let store = try opened()
        try store.insert("Book", ["code": .text("a")])
        try RawDatabase.run(
            folder.file(),
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (\(number), 16002, 9e9)")
        let tracking = try store.historyTracking()
        _ = storeErrorCode {
            try tracking.deleteHistory(
                HistoryDeletion(olderThan: .init(timeIntervalSinceReferenceDate: 8e9)))
        }
        let code = storeErrorCode { try store.insert("Book", ["code": .text("b")]) }
        #expect(code == (number == .max ? .damagedFile : nil))
        try store.close()
    }
}
