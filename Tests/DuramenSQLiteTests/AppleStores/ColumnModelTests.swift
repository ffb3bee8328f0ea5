import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Stores of Core Data's that keep no model, read by their columns; and its own entities.
@Suite struct ColumnModelTests {
    let folder = TemporaryFolder()

    /// A store as Core Data wrote it before 2015: a person, a poet below it, and a book.
    private func library(_ more: [String] = []) throws -> AppleStore {
        try AppleStore(
            folder.file("library.sqlite"),
            entities: [("Book", 0), ("Person", 0), ("Poet", 2), ("Ghost", 0)], cache: nil,
            [
                "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZAUTHOR INTEGER, Z2_AUTHOR INTEGER, Z_FOK_AUTHOR INTEGER, ZTITLE VARCHAR, "
                    + "ZPRICE DECIMAL, ZPRINTED TIMESTAMP, ZRATING FLOAT, ZCOVER BLOB, other TEXT)",
                "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZNAME VARCHAR, ZVERSES INTEGER)",
                "INSERT INTO ZPERSON VALUES (1, 2, 1, 'a', NULL), (2, 3, 1, 'b', 7)",
                "INSERT INTO ZBOOK VALUES (1, 1, 1, 2, 3, 2048, 't', 1.5, 60, 0.5, X'0102', 'x')",
            ] + more)
    }

    private func columnModel(_ apple: AppleStore) throws -> StoredModel {
        try SQLiteStoreType().columnModel(of: apple.description)
    }

    @Test("Each column is an attribute of what it holds, and each entity has those of its table")
    func columnsAreAttributes() throws {
        let stored = try columnModel(library())
        let book = try #require(stored.model.entity(named: "Book"))
        let types = Dictionary(uniqueKeysWithValues: book.attributes.map { ($0.name, $0.type) })
        #expect(
            types == [
                "AUTHOR": .integer64, "2_AUTHOR": .integer64, "_FOK_AUTHOR": .integer64,
                "TITLE": .string, "PRICE": .decimal, "PRINTED": .date, "RATING": .double,
                "COVER": .binaryData,
            ])
        let poet = try #require(stored.model.entity(named: "Poet"))
        #expect(poet.attributes.map(\.name) == ["NAME", "VERSES"])
        #expect(poet.superentity == stored.model.entity(named: "Person")?.id)
        #expect(
            stored.findings.map(\.entity) == ["Ghost", "Model"])
    }

    @Test("A store opens with the model of its columns, and each value is there")
    func valuesAreRead() throws {
        let apple = try library()
        let store = try apple.description.open(model: columnModel(apple).model)
        defer { try? store.close() }
        let book = try store.entity("Book")
        let ids = try store.snapshot().objectIDs(StoreQuery(entity: book.id))
        let row = try #require(try store.snapshot().rows(for: ids).first)
        let values = Dictionary(
            uniqueKeysWithValues: book.attributes.map { ($0.name, row.value($0.slot, $0.kind)) })
        #expect(
            values == [
                "AUTHOR": .integer(2), "2_AUTHOR": .integer(3), "_FOK_AUTHOR": .integer(2048),
                "TITLE": .text("t"), "PRICE": .decimal(1.5), "RATING": .double(0.5),
                "PRINTED": .date(Date(timeIntervalSinceReferenceDate: 60)),
                "COVER": .binary(Data([1, 2])),
            ])
        let person = try store.entity("Person")
        #expect(try store.snapshot().count(StoreQuery(entity: person.id)) == 2)
    }

    @Test("A report says that a model is one of columns")
    func theReportSaysSo() throws {
        let report = try SQLiteStoreType().report(on: library().description, checks: false)
        #expect(report.entities.map(\.attributes) == [8, 2, 2, nil])
        #expect(report.findings.contains { $0.contains("a model of its columns is used") })
    }

    @Test("A store of Duramen's is opened with its own model only")
    func ownStores() throws {
        let own = folder.file("own.sqlite")
        _ = try Library.open(own).close()
        #expect(
            storeErrorCode { try SQLiteStoreType().columnModel(of: .sqlite(own)) }
                == .modelMissing)
    }

    // MARK: - Entities that Core Data has for itself

    @Test("The entities of CloudKit have tables of another letter, whose rows are counted")
    func cloudKit() throws {
        let apple = try library([
            "CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
                + "Z_OPT INTEGER)",
            "INSERT INTO ANSCKRECORDMETADATA VALUES (1, 17001, 1), (2, 17001, 1)",
            "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 9)",
            "INSERT INTO Z_PRIMARYKEY VALUES (17001, 'NSCKRecordMetadata', 0, 2)",
            "INSERT INTO Z_PRIMARYKEY VALUES (17002, 'NSCKEvent', 0, 0)",
        ])
        let report = try SQLiteStoreType().report(on: apple.description, checks: true)
        let rows = Dictionary(uniqueKeysWithValues: report.entities.map { ($0.name, $0.rows) })
        #expect(rows["NSCKRecordMetadata"] == 2)
        #expect(rows["NSCKEvent"] == .some(nil))
        #expect(rows["CHANGE"] == nil)
        #expect(
            report.findings.filter { $0.contains("it has no table") }
                == [
                    "Ghost: it has no table", "NSCKEvent: it has no table",
                    "Ghost: it has no table; left out",
                ]
        )
        // They are no part of the model.
        #expect(try columnModel(apple).model.entity(named: "NSCKRecordMetadata") == nil)
    }

    @Test("An entity of a model may have a name like those of CloudKit")
    func similarNames() throws {
        let apple = try AppleStore(
            folder.file("own.sqlite"), entities: [("NSCKNote", 0)], cache: nil,
            [
                "CREATE TABLE ZNSCKNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
                "INSERT INTO ZNSCKNOTE VALUES (1, 1, 1)",
            ])
        let report = try SQLiteStoreType().report(on: apple.description, checks: false)
        #expect(report.entities.map(\.rows) == [1])
    }
}
