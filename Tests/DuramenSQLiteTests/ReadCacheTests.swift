import CSQLite
import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenSQLite

/// The memory in which readers keep pages.
@Suite struct ReadCacheTests {
    let folder = TemporaryFolder()

    @Test func theFirstReaderHasMostOfIt() {
        let cache = ReadCache(bytes: 64 << 20)
        #expect((0..<6).map(cache.kibibytes) == [65_536, 32_768, 16_384, 8_192, 8_192, 8_192])
        #expect(cache.kibibytes(ofReader: 1_000) == 8_192)
        let chosen = ReadCache(bytes: nil)
        #expect((8_192...131_072).contains(chosen.kibibytes(ofReader: 0)))
    }

    @Test(arguments: [Int.min, -1, 0, 1, 100_000, 1 << 20, .max])
    func anyNumberOfBytesOpensAStore(bytes: Int) throws {
        let cache = ReadCache(bytes: bytes)
        for number in [0, 1, 100] {
            let limit = cache.kibibytes(ofReader: number)
            #expect(limit >= 0 && limit <= max(bytes, 0) >> 10)
        }
        let store = try PersistentStoreDescription.sqlite(folder.file()).readCache(bytes: bytes)
            .open(model: Library.model)
        try store.insert("Book", ["title": .text("a")])
        #expect(
            try QueryExecution(store.query("Book"), on: store, in: store.snapshot()).count() == 1)
        try store.close()
    }

    @Test func maintenanceGivesItBack() throws {
        let store = try Library.open(folder.file())
        for number in 0..<200 {
            try store.insert(
                "Book",
                ["title": .text(StoredText("\(number) " + String(repeating: "a", count: 2_000)))])
        }
        func bytes(reading: Bool) throws -> Int32 {
            let snapshot = try #require(try store.snapshot() as? SQLiteSnapshot)
            if reading {
                let query = try store.query("Book")
                #expect(try QueryExecution(query, on: store, in: snapshot).rows().count == 200)
            }
            return snapshot.reader.mutex.withLock { _ in
                var (now, highest): (Int32, Int32) = (0, 0)
                sqlite3_db_status(
                    snapshot.reader.source.connection.handle, SQLITE_DBSTATUS_CACHE_USED, &now,
                    &highest, 0)
                return now
            }
        }
        #expect(try bytes(reading: true) > 400_000)
        // The same reader again.
        #expect(try bytes(reading: false) > 400_000)
        try (store as? any MaintainingStore)?.maintain()
        #expect(try bytes(reading: false) < 100_000)
        try store.close()
    }
}
