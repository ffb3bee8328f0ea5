import DuramenModel
import Testing

/// Lists of rows that live in several blocks.
struct RowListTests {
    private func rows(_ keys: ClosedRange<Int64>) -> RowBatch {
        var builder = RowBatchBuilder(capacity: 64)
        for key in keys {
            builder.beginRow(
                entity: EntityID(index: 0), slotCount: 1, key: key,
                version: RowVersion(rawValue: 1))
            builder.set(integer: key * 10, at: 0)
            builder.endRow()
        }
        return builder.finish()
    }

    @Test("A list has the rows of all blocks in order, and each can be taken out and kept")
    func order() {
        var list = RowList()
        for keys in [Int64(1)...3, 4...4, 5...6] { list.append(contentsOf: rows(keys)) }
        #expect(list.map(\.key) == [1, 2, 3, 4, 5, 6])
        #expect(list.map { $0.integer(0) } == [10, 20, 30, 40, 50, 60])
        let kept = list[3]
        list = []
        #expect(kept.integer(0) == 40)
        #expect(list.isEmpty)
    }

    @Test("A row that takes the place of another keeps its own block, and copies stay as they were")
    func replacing() {
        var list = RowList(rows(1...4))
        let copy = list
        list[1] = rows(20...20)[0]
        list[2] = list[0]
        #expect(list.map(\.key) == [1, 20, 1, 4])
        #expect(list.map { $0.integer(0) } == [10, 200, 10, 40])
        #expect(copy.map(\.key) == [1, 2, 3, 4])
    }

    @Test("Rows are put in and taken out anywhere")
    func subranges() {
        var list = RowList(rows(1...6))
        list.replaceSubrange(1..<3, with: rows(30...32))
        #expect(list.map(\.key) == [1, 30, 31, 32, 4, 5, 6])
        list.removeAll { $0.key > 30 }
        #expect(list.map(\.key) == [1, 30, 4, 5, 6])
        list.insert(rows(7...7)[0], at: 0)
        list.removeLast(2)
        #expect((list + rows(8...8)).map(\.key) == [7, 1, 30, 4, 8])
        #expect(list.filter { $0.key < 10 }.map { $0.integer(0) } == [70, 10, 40])
    }

    @Test("A list keeps its blocks, and lets go of them with its last copy")
    func lifetime() {
        weak var block: RowStorage?
        var list = RowList()
        do {
            let batch = rows(1...100)
            block = batch.storage
            list.append(contentsOf: batch)
        }
        var copy = list
        list = []
        #expect(block != nil)
        #expect(copy.last?.integer(0) == 1_000)
        copy.removeAll()
        #expect(block == nil)
    }
}
