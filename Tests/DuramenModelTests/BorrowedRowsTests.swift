import DuramenModel
import Testing

struct BorrowedRowsTests {
    private let kinds: [SlotKind] = [.text, .integer, .double, .uuid, .text]
    private var layout: RowLayout { SampleRow.layout(kinds) }

    private func values(_ number: Int64) -> [StoredValue] {
        [
            .text(StoredText("row \(number)")), .integer(number), .double(Double(number) / 8),
            .null, number % 2 == 0 ? .null : .text("odd"),
        ]
    }

    /// Calls a closure with rows in memory as an engine may keep them, at odd addresses.
    private func withPackedRows(
        _ numbers: Range<Int64>, _ body: (UnsafeRawBufferPointer, [PackedRow]) throws -> Void
    ) throws {
        var builder = RowBatchBuilder(capacity: 64)
        for number in numbers { builder.add(values(number), kinds, key: number, version: 3) }
        let batch = builder.finish()
        let bytes = batch.reduce(1) { $0 + $1.packedByteCount(layout: layout) + 2 }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes + 1, alignment: 8)
        defer { memory.deallocate() }
        var place = 1
        var rows: [PackedRow] = []
        for row in batch {
            let end = place + row.packedByteCount(layout: layout)
            let own = UnsafeMutableRawBufferPointer(rebasing: memory[place..<end])
            row.writePacked(layout: layout, version: row.version, to: own)
            let packed = try #require(
                PackedRow(UnsafeRawBufferPointer(own), slotCount: kinds.count))
            try #require(packed.fits(layout))
            rows.append(packed)
            place = end + end % 2 + 1
        }
        try body(UnsafeRawBufferPointer(memory), rows)
    }

    @Test func aBorrowedRowIsReadWhereItStands() throws {
        try withPackedRows(1..<65) { memory, packed in
            var rows = BorrowedRows()
            // Twice, since a list is filled again and again.
            for _ in 0..<2 {
                rows.removeAll()
                #expect(rows.all == 0)
                for row in packed { rows.append(row) }
                #expect(rows.count == 64 && rows.all == .max)
                for place in 0..<64 {
                    let row = rows[place]
                    #expect(row.values(kinds) == values(Int64(place) + 1))
                    #expect(row.key == Int64(place) + 1 && row.version.rawValue == 3)
                    let start = try #require(memory.baseAddress)
                    let bytes = try #require(row.unsafeBytes(0).baseAddress)
                    #expect(bytes > start && bytes < start + memory.count)
                }
            }
        }
    }

    @Test func aBorrowedRowIsCopiedByItsBytes() throws {
        try withPackedRows(1..<4) { _, packed in
            var rows = BorrowedRows()
            for row in packed { rows.append(row) }
            var builder = RowBatchBuilder(capacity: 64)
            for place in [2, 0] { builder.append(try #require(rows.packed(at: place))) }
            #expect(builder.finish().map { $0.values(kinds) } == [values(3), values(1)])
        }
    }

    @Test func placesThatWereLeftAreFilledInOrder() throws {
        try withPackedRows(1..<4) { _, packed in
            var builder = RowBatchBuilder(capacity: 64)
            for number: Int64 in [10, 11] { builder.add(values(number), kinds, key: number) }
            let converted = builder.finish()
            var rows = BorrowedRows()
            for _ in 0..<2 {
                rows.removeAll()
                rows.append(packed[0])
                rows.reservePlace()
                rows.append(packed[1])
                rows.reservePlace()
                rows.fillPlaces(with: converted)
                #expect((0..<4).map { rows[$0].key } == [1, 10, 2, 11])
                #expect((0..<4).map { rows.packed(at: $0) == nil } == [false, true, false, true])
                #expect(rows.all == 0b1111)
            }
            // Places are borrowed again after they were filled.
            rows.removeAll()
            for row in packed { rows.append(row) }
            #expect((0..<3).map { rows[$0].values(kinds) } == (1..<4).map { values($0) })
            #expect(rows.packed(at: 1) != nil)
        }
    }
}
