import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Stores that keep a checksum of each row.
@Suite struct RowChecksumTests {
    let folder = TemporaryFolder()

    private var path: String { folder.file() }

    private func open(_ wanted: Bool? = true) throws -> any PersistentStore {
        var description = PersistentStoreDescription.sqlite(path)
        description.rowChecksums = wanted
        return try description.open(model: Library.model)
    }

    /// Adds books by code.
    private func add(_ numbers: Range<Int>, to store: any PersistentStore) throws {
        try store.insert(
            "Book",
            all: numbers.map { number in
                [
                    "code": .text(StoredText("book \(number)")),
                    "title": .text(StoredText("Title \(number)")),
                    "pages": .integer(Int64(number)), "rating": .double(Double(number) / 3),
                ]
            })
    }

    private func books(of store: any PersistentStore) throws -> [Int64] {
        let entity = try #require(Library.model.entity(named: "Book"))
        return try #require(try store.pushedKeys(StoreQuery(entity: entity.id)))
    }

    private func checks() throws -> Int {
        try RawDatabase.texts(path, "SELECT count(*) FROM DURAMEN_CHECKSUM WHERE ZROW > 0")
            .compactMap { Int($0) }.first ?? 0
    }

    @Test func anAlteredRowIsFoundByReadingAndByAVerification() throws {
        let store = try open()
        try add(1..<51, to: store)
        try store.close()
        try RawDatabase.run(path, "UPDATE ZBOOK SET ZTITLE = 'Title 8' WHERE Z_PK = 7")
        let damaged = try open(nil)
        let error = #expect(throws: StoreError.self) { try books(of: damaged) }
        #expect(error?.code == .damagedFile && error?.message.contains("Book/p7") == true)
        let entity = try #require(Library.model.entity(named: "Book"))
        let ids = (1...50).map {
            ManagedObjectID(store: damaged.handle, entity: entity.handle, key: $0)
        }
        #expect(throws: StoreError.self) { try damaged.snapshot().rows(for: [ids[6]]) }
        #expect(try damaged.snapshot().rows(for: [ids[5], ids[7]]).count == 2)
        let findings = try StoreVerification(of: damaged).run()
        #expect(findings.contains { $0.kind == .row && $0.message.contains("Book/p7") })
        // Others can be written, and the altered one deleted.
        try add(51..<52, to: damaged)
        try damaged.close()
        let report = try PersistentStoreDescription.sqlite(path)
            .salvage(into: .sqlite(folder.file("rescued.sqlite")))
        #expect(report.losses.count == 1 && report.losses[0].contains("7"))
    }

    /// Any value of any row, by any means but a program that writes rows.
    @Test func noAlterationOfAValueGoesUnnoticed() throws {
        let store = try open()
        try add(1..<101, to: store)
        try store.close()
        let columns = try RawDatabase.texts(path, "SELECT name FROM pragma_table_info('ZBOOK')")
            .filter { $0 != "Z_PK" && $0 != "Z_OPT" }
        var generator = SplitMix64(seed: randomSeed())
        for _ in 0..<60 {
            let column = try #require(columns.randomElement(using: &generator))
            let key = Int.random(in: 1...100, using: &generator)
            let old = try RawDatabase.texts(
                path, "SELECT quote(\(column)) FROM ZBOOK WHERE Z_PK = \(key)")[0]
            let values = ["NULL", "0", "0.5", "''", "x''", "'0'", "\(Int.random(in: 1...9))"]
            let new = try #require(values.filter { $0 != old }.randomElement(using: &generator))
            try RawDatabase.run(path, "UPDATE ZBOOK SET \(column) = \(new) WHERE Z_PK = \(key)")
            // The engine may store a value in another form, which is the old one.
            let now = try RawDatabase.texts(
                path, "SELECT quote(\(column)) FROM ZBOOK WHERE Z_PK = \(key)")[0]
            let damaged = try open(nil)
            let findings = try StoreVerification(of: damaged).run()
            #expect(
                findings.contains { $0.message.contains("/p\(key) differs") } == (now != old),
                "\(column) of \(key): \(old), now \(now)")
            try damaged.close()
            try RawDatabase.run(path, "UPDATE ZBOOK SET \(column) = \(old) WHERE Z_PK = \(key)")
        }
        let sound = try open(nil)
        #expect(try StoreVerification(of: sound).run().isEmpty)
        try sound.close()
    }

    @Test func anOlderStateOfARowIsFound() throws {
        let store = try open()
        try add(1..<3, to: store)
        try RawDatabase.run(path, "CREATE TABLE KEPT AS SELECT * FROM ZBOOK WHERE Z_PK = 1")
        try store.close()
        let again = try open(nil)
        let id = ManagedObjectID(
            store: again.handle, entity: try again.entity("Book").handle, key: 1)
        try again.saved(ChangeSet(updates: [try again.update(id, ["code": .text("another")])]))
        #expect(try books(of: again) == [1, 2])
        try again.close()
        // A page that was never written has the row as it was.
        try RawDatabase.run(
            path,
            "UPDATE ZBOOK SET (ZCODE, Z_OPT) = (SELECT ZCODE, Z_OPT FROM KEPT) WHERE Z_PK = 1")
        let damaged = try open(nil)
        #expect(throws: StoreError.self) { try books(of: damaged) }
        try damaged.close()
    }

    @Test func rowsThatAnotherProgramWroteAreRead() throws {
        let store = try open()
        try add(1..<11, to: store)
        try store.close()
        try RawDatabase.run(
            path, "UPDATE ZBOOK SET ZTITLE = 'Solaris', Z_OPT = Z_OPT + 1 WHERE Z_PK = 3")
        try RawDatabase.run(path, "DELETE FROM ZBOOK WHERE Z_PK = 4")
        let again = try open(nil)
        #expect(try books(of: again).count == 9)
        #expect(try StoreVerification(of: again).run().isEmpty)
        try again.close()
    }

    @Test func theOptionCanBeChangedAtAnyOpening() throws {
        let plain = try open(nil)
        try add(1..<11, to: plain)
        try plain.close()
        #expect(throws: StoreError.self) { try checks() }
        let covered = try open(true)
        #expect(try checks() == 10)
        try add(11..<21, to: covered)
        try covered.close()
        #expect(try checks() == 20)
        let stays = try open(nil)
        try add(21..<31, to: stays)
        try stays.close()
        #expect(try checks() == 30)
        // Another program adds a column, and the checksums are of the columns that there are.
        try RawDatabase.run(path, "ALTER TABLE ZBOOK ADD COLUMN ZOTHER VARCHAR")
        let widened = try open(nil)
        #expect(try books(of: widened).count == 30)
        try widened.close()
        try RawDatabase.run(path, "UPDATE ZBOOK SET ZOTHER = 'x' WHERE Z_PK = 30")
        let damaged = try open(nil)
        #expect(throws: StoreError.self) { try books(of: damaged) }
        try damaged.close()
        let without = try open(false)
        #expect(try books(of: without).count == 30)
        try add(31..<41, to: without)
        try without.close()
        #expect(try checks() == 0)
        let last = try open(true)
        #expect(try books(of: last).count == 40)
        #expect(try StoreVerification(of: last).run().isEmpty)
        try last.close()
        #expect(try checks() == 40)
    }

    @Test func aDeletedTableLeavesNoChecksums() throws {
        let store = try open()
        try store.insert("Tag", all: (0..<10).map { _ in ["label": .text("a")] })
        let query = try store.query("Tag")
        _ = try BatchDeletion(.query(query), BatchSettings()).run(on: store)
        #expect(try store.snapshot().count(query) == 0)
        try store.close()
        #expect(try checks() == 0)
    }

    /// The engine's functions have at most 127 arguments.
    @Test func wideRowsHaveChecksums() throws {
        let model = testModel([
            EntityDescription(
                name: "Wide",
                attributes: (0..<400).map {
                    AttributeDescription("a\($0)", .integer64, isOptional: true)
                })
        ])
        let description = PersistentStoreDescription.sqlite(path).rowChecksums()
        let store = try description.open(model: model)
        let entity = model.entities[0]
        for number in 1...3 { try store.insert("Wide", ["a399": .integer(Int64(number))]) }
        #expect(try store.pushedKeys(StoreQuery(entity: entity.id)) == [1, 2, 3])
        try store.close()
        try RawDatabase.run(path, "UPDATE ZWIDE SET ZA399 = 9 WHERE Z_PK = 2")
        let damaged = try description.open(model: model)
        #expect(throws: StoreError.self) {
            try damaged.pushedKeys(StoreQuery(entity: entity.id))
        }
        try damaged.close()
    }

    @Test func aDamagedRowEndsAMigrationBeforeItIsCoveredAnew() throws {
        let store = try open()
        try add(1..<11, to: store)
        try store.close()
        let newer = Library.makeModel(extra: [
            AttributeDescription("shelf", .string, isOptional: true)
        ])
        try RawDatabase.run(path, "UPDATE ZBOOK SET ZPAGES = 0 WHERE Z_PK = 5")
        let error = #expect(throws: StoreError.self) {
            try PersistentStoreDescription.sqlite(path).open(model: newer)
        }
        #expect(error?.code == .damagedFile)
        try RawDatabase.run(path, "UPDATE ZBOOK SET ZPAGES = 5 WHERE Z_PK = 5")
        let migrated = try PersistentStoreDescription.sqlite(path).open(model: newer)
        #expect(try StoreVerification(of: migrated).run().isEmpty)
        try migrated.close()
        #expect(try checks() == 10)
    }
}
