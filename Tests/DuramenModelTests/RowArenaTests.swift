import DuramenModel
import Foundation
import Testing

struct RowArenaTests {
    private let kinds: [SlotKind] = [.text, .integer, .text, .binary]
    private var layout: RowLayout { SampleRow.layout(kinds) }

    private func row(_ values: [StoredValue], key: Int64 = 1) -> Row {
        var builder = RowBatchBuilder(capacity: 64)
        builder.add(values, kinds, key: key, version: 3, entity: 2)
        return builder.finish()[0]
    }

    private func set(
        _ text: String, at slot: Int, of row: inout MutableRow, in arena: RowArena
    ) {
        StoredText(text).withUTF8 { arena.set(bytes: $0, at: slot, of: &row, layout: layout) }
    }

    @Test func aCopyHasAllValuesAndItsHeader() {
        let values: [StoredValue] = [.text("a"), .integer(2), .null, .binary(Data([1, 2]))]
        let copy = RowArena().copy(row(values, key: 9), layout: layout).row
        #expect(copy.values(kinds) == values)
        #expect(copy.key == 9 && copy.version.rawValue == 3 && copy.entityID.index == 2)
    }

    @Test(arguments: ["", "b", "longer than before", String(repeating: "z", count: 200_000)])
    func textIsReplacedByShorterAndLonger(text: String) {
        let arena = RowArena()
        let source = row([.text("middling"), .integer(1), .text("other"), .null])
        var copy = arena.copy(source, layout: layout)
        set(text, at: 0, of: &copy, in: arena)
        #expect(
            copy.row.values(kinds) == [.text(StoredText(text)), .integer(1), .text("other"), .null])
        #expect(source.string(0) == "middling")
    }

    /// The sizes of the blocks that rows of 100 000 bytes go to, one after the other.
    private func blockSizes(_ count: Int, in arena: RowArena) -> [Int] {
        let text = StoredText(String(repeating: "x", count: 100_000))
        let large = row([.text(text), .integer(1), .null, .null])
        return (0..<count).map { _ in arena.copy(large, layout: layout).storage.byteCount }
    }

    @Test func manyRowsGoToLargeBlocksUntilTheNextUnitOfWork() {
        let arena = RowArena(hasLargeBlocks: true)
        let sizes = blockSizes(100, in: arena)
        #expect(sizes.prefix(40).allSatisfy { $0 < 150_000 })
        #expect(sizes.suffix(40).allSatisfy { $0 == 2 << 20 })
        arena.beginAnew()
        // What is left of the last one is used first.
        let next = blockSizes(40, in: arena)
        #expect(next.suffix(35).allSatisfy { $0 < 150_000 })
        let enormous = StoredText(String(repeating: "x", count: 3 << 20))
        let row = row([.text(enormous), .integer(1), .null, .null])
        #expect(arena.copy(row, layout: layout).row.string(0).utf8.count == 3 << 20)
    }

    @Test func rowsThatAreReadOneByOneStayInSmallBlocks() {
        #expect(blockSizes(100, in: RowArena(blockBytes: 8_192)).allSatisfy { $0 < 150_000 })
    }

    @Test(arguments: [64, 65_536])
    func aRowsOwnOldBytesMayBeItsNewValue(blockBytes: Int) {
        let arena = RowArena(blockBytes: blockBytes)
        let text = String(repeating: "own", count: 30)
        var copy = arena.copy(
            row([.text(StoredText(text)), .integer(1), .text("b"), .null]), layout: layout)
        for _ in 0..<50 {
            arena.set(bytes: copy.row.unsafeBytes(0), at: 0, of: &copy, layout: layout)
            arena.set(bytes: copy.row.unsafeBytes(0), at: 2, of: &copy, layout: layout)
            let part = UnsafeRawBufferPointer(rebasing: copy.row.unsafeBytes(0)[3..<9])
            arena.set(bytes: part, at: 3, of: &copy, layout: layout)
        }
        #expect(copy.row.string(0) == text && copy.row.string(2) == text)
        #expect(copy.row.value(3, .binary) == .binary(Data("ownown".utf8)))
    }

    @Test func aRowMovesWhenTheArenaIsInAnotherBlock() {
        let arena = RowArena(blockBytes: 256)
        var rows = (0..<20).map { key in
            arena.copy(
                row(
                    [.text(StoredText("t\(key)")), .integer(Int64(key)), .null, .null],
                    key: Int64(key)),
                layout: layout)
        }
        #expect(rows[0].storage !== rows[19].storage)
        let old = rows[0].storage
        set("changed", at: 2, of: &rows[0], in: arena)
        #expect(rows[0].storage !== old)
        for (key, row) in rows.enumerated() {
            let second: StoredValue = key == 0 ? .text("changed") : .null
            #expect(row.row.key == Int64(key))
            #expect(
                row.row.values(kinds) == [
                    .text(StoredText("t\(key)")), .integer(Int64(key)), second, .null,
                ])
        }
    }

    @Test func copiesAreIndependentOfEachOtherAndOfTheirSource() {
        let arena = RowArena()
        let source = row([.text("a"), .integer(1), .text("b"), .null])
        var first = arena.copy(source, layout: layout)
        let second = arena.copy(first.row, layout: layout)
        set("changed", at: 0, of: &first, in: arena)
        first.set(integer: 2, at: 1)
        first.setNull(2)
        Row.setKey(77, at: first.words)
        #expect(first.row.values(kinds) == [.text("changed"), .integer(2), .null, .null])
        for untouched in [source, second.row] {
            #expect(untouched.values(kinds) == [.text("a"), .integer(1), .text("b"), .null])
            #expect(untouched.key == 1)
        }
    }

    @Test func aRowOutlivesItsArena() {
        func copy() -> MutableRow {
            let arena = RowArena()
            return arena.copy(row([.text("alive"), .null, .null, .null]), layout: layout)
        }
        let rows = (0..<50).map { _ in copy() }
        #expect(rows.allSatisfy { $0.row.string(0) == "alive" })
    }

    @Test func aNewRowIsCopiedWithoutATail() {
        let arena = RowArena()
        let template = row([.null, .integer(5), .null, .null])
        let header = RowStorage.headerBytes(slotCount: 4)
        let words = arena.copyFixed(template, header: header, slotCount: 4)
        var copy = MutableRow(storage: arena.currentBlock.takeUnretainedValue(), words: words)
        set("new", at: 0, of: &copy, in: arena)
        #expect(copy.row.values(kinds) == [.text("new"), .integer(5), .null, .null])
        #expect(template.isNull(0))
    }

    @Test func valuesAreTakenOverFromAnotherRow() {
        let arena = RowArena()
        let values: [StoredValue] = [.text("x"), .integer(8), .null, .binary(Data([9]))]
        let other = row(values)
        var copy = arena.copy(
            row([.null, .null, .text("gone"), .binary(Data())]), layout: layout)
        for slot in kinds.indices {
            arena.copyValue(of: slot, from: other, to: &copy, layout: layout)
        }
        #expect(copy.row.values(kinds) == values)
    }

    /// Random edits of many rows against arrays of plain values.
    @Test(arguments: [40, 300, 65_536], [4, 70, 150])
    func randomEditsGiveWhatPlainValuesGive(blockBytes: Int, slotCount: Int) {
        var random = SeededRandom()
        let kinds = (0..<slotCount).map { [SlotKind.text, .integer, .binary, .double][$0 % 4] }
        let layout = SampleRow.layout(kinds)
        let arena = RowArena(blockBytes: blockBytes)
        var model: [[StoredValue]] = []
        var rows: [MutableRow] = []

        func value(_ kind: SlotKind) -> StoredValue {
            let count = Int.random(in: 0...12, using: &random)
            if count == 0 { return .null }
            return switch kind {
            case .text: .text(StoredText(String(repeating: "é\0", count: count - 1)))
            case .binary: .binary(Data(repeating: UInt8(count), count: count * 5 - 5))
            case .double: .double(Double(count) / 2)
            default: .integer(Int64(count))
            }
        }
        func set(_ value: StoredValue, _ slot: Int, _ row: inout MutableRow) {
            switch value {
            case .text(let text):
                text.withUTF8 { arena.set(bytes: $0, at: slot, of: &row, layout: layout) }
            case .binary(let data):
                data.withUnsafeBytes { arena.set(bytes: $0, at: slot, of: &row, layout: layout) }
            case .integer(let number): row.set(integer: number, at: slot)
            case .double(let number): row.set(double: number, at: slot)
            default: row.setNull(slot)
            }
        }
        for step in 0..<600 {
            let choice = rows.isEmpty ? 0 : Int.random(in: 0..<20, using: &random)
            let place = rows.isEmpty ? 0 : Int.random(in: rows.indices, using: &random)
            let slot = Int.random(in: 0..<slotCount, using: &random)
            switch choice {
            case 0:
                let values = kinds.map(value)
                var builder = RowBatchBuilder(capacity: 64)
                builder.add(values, kinds, key: Int64(rows.count))
                rows.append(arena.copy(builder.finish()[0], layout: layout))
                model.append(values)
            case 1:
                rows.append(arena.copy(rows[place].row, layout: layout))
                model.append(model[place])
            case 2...4:
                let source = Int.random(in: rows.indices, using: &random)
                var row = rows[place]
                arena.copyValue(of: slot, from: rows[source].row, to: &row, layout: layout)
                rows[place] = row
                model[place][slot] = model[source][slot]
            default:
                let value = value(kinds[slot])
                set(value, slot, &rows[place])
                model[place][slot] = value
            }
            #expect(
                rows[place].row.value(slot, kinds[slot]) == model[place][slot],
                "seed \(random.seed), step \(step)")
        }
        for (row, values) in zip(rows, model) {
            #expect(row.row.values(kinds) == values, "seed \(random.seed)")
        }
    }
}
