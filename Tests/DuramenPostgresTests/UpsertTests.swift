import DuramenModel
import DuramenPostgres
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Batches over rows that may be stored already.
@Suite(.enabled(if: TestServer.isThere)) struct UpsertTests {
    private let schemas: TestSchemas
    private let place: PersistentStoreDescription
    private let store: any PersistentStore
    private let tag: Entity

    init() throws {
        schemas = try TestSchemas()
        place = schemas.next()
        store = try place.open(model: FaultModel.model)
        tag = try store.entity("Tag")
    }

    private func end() throws {
        try store.close()
        schemas.destroyAll()
    }

    @Test func randomUpsertsLeaveWhatARuleSays() throws {
        // Each run has a store of its own.
        try end()
        let seed = randomSeed()
        for run in 0..<UInt64(repetitions(10)) {
            let driver = try StoreDriver(StoreFixture { _ in schemas.next() })
            var upserts = try UpsertRun(driver, seed: seed &+ run, largest: 2_500)
            if run.isMultiple(of: 2) { try upserts.runUpserts() } else { try upserts.runBatch() }
            try driver.store.close()
            schemas.destroyAll()
        }
    }

    @Test func aPartTakesTwoRoundTripsAndACopy() throws {
        let given = RowCoding.slots(of: ["code"], in: tag)
        func upsert(_ numbers: Range<Int>) throws -> Int {
            let keys = try store.allocateKeys(numbers.count, for: tag.id)
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
        try end()
    }

    @Test func aBatchCountsRowsThatOthersInsertedWithLaterKeys() throws {
        let other = try place.open(model: FaultModel.model)
        // The first keys are on lease here, so the other store has later ones.
        let lease = try store.allocateKeys(1, for: tag.id)
        let values = (0..<10).map { ["code": StoredValue.text(StoredText("c\($0)"))] }
        let ids = try other.insert("Tag", all: values)
        #expect(ids.allSatisfy { $0.key > lease.lowerBound })
        var next = values.makeIterator()
        let outcome = try BatchInsertion(
            of: tag.id, repetition: .replacesAll, BatchSettings(keepsObjectIDs: true)
        ) { key, _ in
            try next.next().map { values in
                BatchInsertion.NewRow(
                    try store.row("Tag", key: key, values),
                    givenSlots: RowCoding.slots(of: ["code"], in: tag))
            }
        }.run(on: store)
        #expect(Set(outcome.objectIDs.map(\.key)) == Set(ids.map(\.key)))
        #expect(outcome.updated.count == 10)
        try other.close()
        try end()
    }

    @Test func aValueOfAMissingObjectIsDamage() throws {
        try store.insert("Tag", ["code": .text("a")])
        try RawServer().run("DELETE FROM \(place.quoted).tag")
        let key = try store.allocateKeys(1, for: tag.id).lowerBound
        let rows = RowList([try store.row("Tag", key: key, ["code": .text("a")])])
        let slots = [RowCoding.slots(of: ["code"], in: tag)]
        let code = storeErrorCode {
            try store.batchWriting().writeBatch(ChangeSet()) { batch throws(StoreError) in
                _ = try batch.upsert(rows, taking: slots)
            }
        }
        #expect(code == .damagedFile)
        try end()
    }
}
