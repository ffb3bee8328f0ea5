import DuramenModel
import Testing

struct RowPoolTests {
    private let kinds: [SlotKind] = [.integer, .text, .text]

    private func values(_ number: Int64, textLength: Int) -> [StoredValue] {
        [.integer(number), .null, .text(StoredText(String(repeating: "x", count: textLength)))]
    }

    @Test func smallRowsOfOneBuilderShareABlockAndKeepTheirValues() {
        let pool = RowPool()
        var builder = RowBatchBuilder(capacity: 64)
        var rows: [Row] = []
        for number in 1...20 as ClosedRange<Int64> {
            builder.add(values(number, textLength: Int(number)), kinds, key: number)
            rows += pool.take(from: &builder)
            #expect(builder.count == 0 && builder.byteCount == 0)
        }
        #expect(rows.map(\.key) == Array(1...20))
        #expect(rows.allSatisfy { $0.storage === rows[0].storage })
        for row in rows {
            #expect(row.values(kinds) == values(row.key, textLength: Int(row.key)))
        }
    }

    @Test(arguments: [(count: 1, textLength: 5_000), (3, 10), (0, 0)])
    func otherRowsHaveABlockOfTheirOwn(count: Int, textLength: Int) {
        let pool = RowPool()
        var builder = RowBatchBuilder(capacity: 64)
        var expected: [[StoredValue]] = []
        for number in 0..<Int64(count) {
            expected.append(values(number, textLength: textLength))
            builder.add(expected[Int(number)], kinds, key: number)
        }
        let rows = pool.take(from: &builder)
        #expect(rows.map { $0.values(kinds) } == expected && builder.count == 0)
        #expect(pool.take(from: &builder).isEmpty)
        // The builder goes on with memory of its own.
        builder.add(values(7, textLength: 3), kinds, key: 7)
        #expect(pool.take(from: &builder).map(\.key) == [7])
        #expect(rows.map { $0.values(kinds) } == expected)
    }
}
