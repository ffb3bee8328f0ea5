import DuramenModel
import DuramenPostgres
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Batches over rows that may be stored already.
@Suite(.enabled(if: TestServer.isThere)) struct UpsertTests {
    @Test func randomUpsertsLeaveWhatARuleSays() throws {
        let schemas = try TestSchemas()
        let seed = randomSeed()
        for run in 0..<UInt64(repetitions(10)) {
            let driver = try StoreDriver(StoreFixture { _ in schemas.next() })
            var upserts = try UpsertRun(driver, seed: seed &+ run)
            try upserts.run()
            try driver.store.close()
            schemas.destroyAll()
        }
    }

    @Test func aPartTakesTwoRoundTripsAndACopy() throws {
        let schemas = try TestSchemas()
        let store = try schemas.next().open(model: FaultModel.model)
        let entity = try store.entity("Tag")
        let given = RowCoding.slots(of: ["code"], in: entity)
        func upsert(_ numbers: Range<Int>) throws -> Int {
            let keys = try store.allocateKeys(numbers.count, for: entity.id)
            let rows = RowList(
                try zip(keys, numbers).map { key, number in
                    try store.row("Tag", key: key, ["code": .text(StoredText("c\(number)"))])
                })
            let slots = [SlotSet](repeating: given, count: rows.count)
            var trips = 0
            _ = try store.batchWriting().writeBatch(ChangeSet()) { batch throws(StoreError) in
                let before = store.counters.trips
                _ = try batch.upsert(rows, taking: slots)
                trips = store.counters.trips - before
            }
            return trips
        }
        _ = try upsert(0..<1)
        #expect(try upsert(0..<1_000) == 3)
        #expect(try upsert(0..<1_000) == 2)
        #expect(try store.keys(store.query("Tag")).count == 1_000)
        try store.close()
        schemas.destroyAll()
    }
}
