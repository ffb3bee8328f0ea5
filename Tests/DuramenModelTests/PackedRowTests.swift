import DuramenModel
import Testing

struct PackedRowTests {
    /// More slots than one word has null bits for move the row's first slot.
    @Test(
        "A packed row becomes a batch with the same values, however many slots it has",
        arguments: [0, 1, 3, 64, 65, 130])
    func aPackedRowBecomesABatch(slotCount: Int) throws {
        let kinds: [SlotKind] = (0..<slotCount).map { $0 % 3 == 0 ? .text : .integer }
        let layout = SampleRow.layout(kinds)
        let values = (0..<slotCount).map { slot -> StoredValue in
            if slot % 5 == 4 { return .null }
            return slot % 3 == 0 ? .text(StoredText("text \(slot)")) : .integer(Int64(slot))
        }
        var builder = RowBatchBuilder(capacity: 64)
        builder.add(values, kinds, key: 9, version: 3, entity: 2)
        let row = builder.finish()[0]
        // At an odd address, as an engine may keep it.
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: row.packedByteCount(layout: layout) + 1, alignment: 8)
        defer { memory.deallocate() }
        let place = UnsafeMutableRawBufferPointer(rebasing: memory[1...])
        row.writePacked(layout: layout, version: RowVersion(rawValue: 7), to: place)

        let packed = try #require(PackedRow(UnsafeRawBufferPointer(place), slotCount: slotCount))
        try #require(packed.fits(layout))
        let copy = Row(copying: packed)
        memory.initializeMemory(as: UInt8.self, repeating: 0xFF)

        #expect(copy.values(kinds) == values)
        #expect(copy.key == 9 && copy.version.rawValue == 7 && copy.entityID.index == 2)
        #expect(copy.slotCount == slotCount)
    }
}
