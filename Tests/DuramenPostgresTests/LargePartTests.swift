import DuramenModel
import DuramenPostgres
import DuramenQuery
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Parts of batches that are large enough for a COPY, and results of several blocks.
@Suite(.enabled(if: TestServer.isThere)) struct LargePartTests {
    private let schemas: TestSchemas
    private let driver: StoreDriver

    init() throws {
        let schemas = try TestSchemas()
        self.schemas = schemas
        driver = try StoreDriver(
            StoreFixture { _ in
                schemas.next().durability(.relaxed)
            } cleanUp: {
                schemas.destroyAll()
            })
    }

    /// Objects with names. Those of items are unique; those of halls are not, so that all is copied.
    private func part(_ numbers: Range<Int>, _ entity: String = "Disc") throws -> ChangeDraft {
        var draft = driver.draft()
        let property = entity == "Hall" ? "name" : "code"
        for number in numbers {
            _ = try draft.insert(entity, [property: .text(StoredText("a\u{1}\(number)"))])
        }
        return draft
    }

    private func batch(
        _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) {
        _ = try driver.store.batchWriting().writeBatch(ChangeSet(), body)
    }

    private func codes() throws -> [String] {
        try driver.contents().records.values.compactMap { record in
            if case .text(let code)? = record.values["code"] { code.string } else { nil }
        }.sorted()
    }

    @Test func everyRowOfLargePartsIsThere() throws {
        let parts = [
            try part(0..<1_000), try part(1_000..<2_500), try part(2_500..<2_510),
            try part(2_510..<3_000, "Book"),
        ]
        try batch { transaction throws(StoreError) in
            for part in parts { #expect(try transaction.write(part.changes).isEmpty) }
        }
        let expected = (0..<3_000).map { "a\u{1}\($0)" }.sorted()
        #expect(try codes() == expected)
    }

    @Test func aLargePartWithATakenValueIsNotWritten() throws {
        let (first, second, third) = (
            try part(0..<600), try part(599..<1_200), try part(1_200..<1_900)
        )
        try batch { transaction throws(StoreError) in
            #expect(try transaction.write(first.changes).isEmpty)
            #expect(try transaction.write(second.changes).count == 1)
            #expect(try transaction.write(third.changes).isEmpty)
        }
        #expect(try codes().count == 1_300)
    }

    @Test func aKeyThatIsInUseEndsTheBatch() throws {
        let first = try part(0..<600, "Hall")
        var second = try part(600..<1_200, "Hall")
        second.changes.inserts.append(first.changes.inserts[0])
        let parts = [first.changes, second.changes]
        let error = #expect(throws: StoreError.self) {
            try batch { transaction throws(StoreError) in
                for part in parts { _ = try transaction.write(part) }
            }
        }
        #expect(error?.code == .invalidRequest)
        #expect(try driver.contents().records.isEmpty)
        let third = try part(0..<300, "Hall")
        try batch { transaction throws(StoreError) in _ = try transaction.write(third.changes) }
        #expect(try driver.contents().records.count == 300)
    }

    @Test func aBatchThatIsGivenUpLeavesNothing() throws {
        for entity in ["Disc", "Hall"] {
            let large = try part(0..<700, entity)
            #expect(throws: StoreError.self) {
                try batch { transaction throws(StoreError) in
                    _ = try transaction.write(large.changes)
                    throw StoreError(.io, "The test gives up.")
                }
            }
        }
        #expect(try driver.contents().records.isEmpty)
    }

    @Test func aResultOfSeveralBlocksIsReadInBatchesOfAnySize() throws {
        let large = try part(0..<9_000)
        try batch { transaction throws(StoreError) in _ = try transaction.write(large.changes) }
        let snapshot = try driver.store.snapshot()
        let query = driver.store.pushdown(for: driver.query("Disc")).prepared
        let cursor = try snapshot.cursor(query)
        var keys: [Int64] = []
        var sizes = [5_000, 700, 10, 3, 1, 400].makeIterator()
        var size = 512
        while true {
            size = sizes.next() ?? size
            guard let batch = try cursor.next(maximumRows: size) else { break }
            #expect(batch.count <= size)
            keys += batch.map(\.key)
        }
        #expect(keys == large.changes.inserts.map(\.key).sorted())
    }
}
