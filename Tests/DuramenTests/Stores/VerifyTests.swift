import CSQLite
import Duramen
import Foundation
import Testing

/// What `verify()` of a container finds, in stores that were changed past the library.
@MainActor
@Suite struct VerifyTests {
    /// Opens a store that holds one of each thing.
    private func container(
        _ kind: StoreKind, _ store: PersistentStoreDescription
    ) throws -> PersistentContainer {
        let keeps =
            kind == .memory ? store : store.keepingHistory().largestInlineValue(bytes: 1_000)
        return try PersistentContainer.open(model: Exhibition.model, stores: [keeps])
    }

    private func filledStore(_ kind: StoreKind) throws -> PersistentStoreDescription {
        let store = kind.description
        let container = try container(kind, store)
        try Exhibition(context: container.viewContext).fill()
        container.viewContext.reset()
        try container.close()
        return store
    }

    @Test("Nothing is found in a sound store", arguments: [StoreKind.sqlite, .lmdb])
    func soundStores(kind: StoreKind) throws {
        let container = try container(kind, filledStore(kind))
        #expect(try container.verify() == [])
        // Old transactions may go.
        _ = try container.viewContext.execute(.deleteHistory(before: Date.distantFuture))
        #expect(try container.verify() == [])
        try container.close()
    }

    @Test("A verification that was cancelled says so")
    func cancellation() throws {
        let container = try container(.sqlite, filledStore(.sqlite))
        let flag = CancellationFlag()
        flag.cancel()
        let error = #expect(throws: StoreError.self) { try container.verify(cancellation: flag) }
        #expect(error?.code == .cancelled)
        try container.close()
    }

    @Test(
        "Files of large values that are missing or altered", arguments: [StoreKind.sqlite, .lmdb])
    func externalFiles(kind: StoreKind) throws {
        for isAltered in [false, true] {
            let store = try filledStore(kind)
            let place = URL(filePath: store.location)
            let folder =
                kind == .lmdb
                ? place.appending(path: "values")
                : place.deletingLastPathComponent()
                    .appending(path: ".\(place.lastPathComponent)_SUPPORT/_DURAMEN_DATA")
            let files = try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            try #require(!files.isEmpty)
            for file in files {
                try FileManager.default.removeItem(at: file)
                if isAltered { try Data(repeating: 9, count: 3_000).write(to: file) }
            }
            let container = try container(kind, store)
            let found = try container.verify()
            #expect(found.map(\.kind) == [.externalValue], "\(found)")
            #expect(found.first?.example?.entityName == "Painting")
            try container.close()
        }
    }

    /// What other programs may do to a file of SQLite, and what is found then.
    nonisolated struct Damage: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sql: String
        var kind: VerificationFinding.Kind
        var place: String?

        static let all = [
            Damage(
                testDescription: "a derived value",
                sql: "UPDATE ZWORK SET ZROOMNAME = 'attic' WHERE Z_PK = 1", kind: .derivedValue,
                place: "Painting.roomName"),
            Damage(
                testDescription: "a pair of an object that is gone",
                sql: "UPDATE Z_3TAGS SET Z_3WORKS = 99 WHERE Z_2TAGS = 3 AND Z_3WORKS = 4",
                kind: .pair, place: nil),
            Damage(
                testDescription: "a reference to nothing",
                sql: "UPDATE ZWORK SET ZROOM = 99 WHERE Z_PK = 1", kind: .reference,
                place: "Work.room"),
            Damage(
                testDescription: "a unique value that occurs twice",
                sql: "DROP INDEX Z_Work_UNIQUE_code; UPDATE ZWORK SET ZCODE = 'w0'",
                kind: .uniqueness, place: "Work.code"),
            Damage(
                testDescription: "transactions that are gone",
                sql: "DELETE FROM ATRANSACTION WHERE Z_PK = (SELECT max(Z_PK) FROM ATRANSACTION)",
                kind: .history, place: nil),
            Damage(
                testDescription: "an index without an entry",
                sql: "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = "
                    + "replace(sql, '\"ZYEAR\"', '\"ZROOM\"') WHERE name = 'Z_Work_by_year'",
                kind: .index, place: nil),
        ]
    }

    @Test("Damage that another program does to a file of SQLite", arguments: Damage.all)
    func damage(_ damage: Damage) throws {
        let store = try filledStore(.sqlite)
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        try #require(
            sqlite3_open_v2(store.location, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        let result = sqlite3_exec(handle, damage.sql, nil, nil, nil)
        try #require(result == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
        sqlite3_close_v2(handle)
        handle = nil
        // A writer would mend indexes.
        let container = try container(.sqlite, store.readOnly())
        let found = try container.verify()
        #expect(found.contains { $0.kind == damage.kind }, "\(found)")
        if let place = damage.place { #expect(found.contains { $0.place == place }, "\(found)") }
        try container.close()
    }
}
