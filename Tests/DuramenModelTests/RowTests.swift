import Foundation
import Testing

@testable import DuramenModel

/// One value of each kind, and the odd ones.
enum SampleRow {
    static let cells: [(SlotKind, StoredValue)] = [
        (.integer, .integer(.min)), (.integer, .integer(.max)), (.double, .double(-.infinity)),
        (.double, .double(.leastNonzeroMagnitude)), (.float, .double(0.5)),
        (.boolean, .boolean(true)), (.boolean, .boolean(false)), (.date, .date(.distantPast)),
        (.text, .text("")), (.text, .text("e\u{301}\0\u{E9}😀")), (.text, .null),
        (.uri, .uri("https://example.org/a?b#c")),
        (.decimal, .decimal(Decimal(string: "-12345678901234567890.1234567890123456")!)),
        (.binary, .binary(Data())), (.binary, .binary(Data([0, 255, 0]))), (.binary, .null),
        (.uuid, .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255)))),
        (.reference, .integer(42)), (.referenceEntity, .integer(3)), (.integer, .null),
    ]

    static func layout(_ kinds: [SlotKind]) -> RowLayout {
        RowLayout(kinds: kinds)
    }
}

extension RowBatchBuilder {
    /// Writes a row from values.
    mutating func add(
        _ values: [StoredValue], _ kinds: [SlotKind], key: Int64 = 1, version: Int64 = 1,
        entity: Int = 0
    ) {
        beginRow(
            entity: EntityID(index: entity), slotCount: kinds.count, key: key,
            version: RowVersion(rawValue: version))
        for slot in kinds.indices { set(values[slot], at: slot, as: kinds[slot]) }
        endRow()
    }
}

extension Row {
    /// All values.
    func values(_ kinds: [SlotKind]) -> [StoredValue] {
        kinds.indices.map { value($0, kinds[$0]) }
    }
}

struct RowTests {
    private let kinds = SampleRow.cells.map(\.0)
    private let values = SampleRow.cells.map(\.1)

    @Test func differingSlotsAreThoseWithOtherValues() {
        let kinds: [SlotKind] = [.integer, .text, .text]
        let layout = SampleRow.layout(kinds)
        var builder = RowBatchBuilder(capacity: 64)
        builder.add([.integer(0), .text("a"), .null], kinds)
        builder.add([.null, .text("a"), .text("")], kinds)
        builder.add([.integer(0), .text("b"), .null], kinds, key: 2, version: 9)
        let rows = builder.finish()
        #expect(rows[0].differingSlots(from: rows[1], layout).slots.elementsEqual([0, 2]))
        #expect(rows[0].differingSlots(from: rows[2], layout).slots.elementsEqual([1]))
        #expect(rows[0].differingSlots(from: rows[0], layout).isEmpty)
    }

    @Test func aBuilderThatIsFinishedTwiceSharesNoMemory() {
        var builder = RowBatchBuilder(capacity: 64)
        builder.add(values, kinds)
        let first = builder.finish()
        let second = builder.finish()
        #expect(second.isEmpty && first[0].storage !== second.storage)
        #expect(first[0].storage.memory != second.storage.memory)
        #expect(first[0].values(kinds) == values)
    }

    @Test func everyKindReadsBack() throws {
        var builder = RowBatchBuilder(capacity: 0)
        builder.add(values, kinds, key: -7, version: .min, entity: 65_534)
        #expect(builder.count == 1)
        let batch = builder.finish()
        let row = try #require(batch.first)
        #expect(row.values(kinds) == values)
        #expect(row.key == -7 && row.version == RowVersion(rawValue: .min))
        #expect(row.entityID == EntityID(index: 65_534) && row.slotCount == kinds.count)
        #expect(Row.key(row.unsafeWords) == -7)
        #expect(Row.entityIndex(row.unsafeWords) == 65_534)
    }

    @Test func emptyTextIsNotNullAndNullHasNoBytes() throws {
        var builder = RowBatchBuilder(capacity: 8)
        builder.add([.text(""), .null], [.text, .text])
        let row = builder.finish()[0]
        #expect(!row.isNull(0) && row.isNull(1))
        #expect(row.unsafeBytes(0).isEmpty && row.withBytes(1) { $0.isEmpty })
        #expect(row.string(0) == "" && row.value(1, .text) == .null)
    }

    @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 129, 192, 193, 1_000])
    func rowsHaveAsManySlotsAsTheyNeed(count: Int) throws {
        let kinds = (0..<count).map { SampleRow.cells[$0 % SampleRow.cells.count].0 }
        let layout = SampleRow.layout(kinds)
        for step in 1...3 {
            // Every step-th slot has a value, so that null bits alternate.
            let values = (0..<count).map {
                $0 % step == 0 ? SampleRow.cells[$0 % SampleRow.cells.count].1 : .null
            }
            var builder = RowBatchBuilder(capacity: 8)
            builder.add([.text("before")], [.text])
            builder.add(values, kinds, key: 9, version: 8, entity: 7)
            builder.add([.text("after")], [.text])
            let batch = builder.finish()
            #expect(batch[1].values(kinds) == values)
            #expect(batch[1].key == 9 && batch[1].slotCount == count)
            #expect(batch[0].string(0) == "before" && batch[2].string(0) == "after")
            #expect(RowArena().copy(batch[1], layout: layout).row.values(kinds) == values)
        }
    }

    @Test func aMebibyteOfTextIsKept() {
        let text = String(repeating: "0123456789abcde\0", count: 65_536)
        var builder = RowBatchBuilder(capacity: 64)
        builder.add([.text(StoredText(text)), .integer(1)], [.text, .integer])
        let row = builder.finish()[0]
        #expect(row.unsafeBytes(0).count == 1 << 20)
        #expect(row.value(0, .text) == .text(StoredText(text)))
        #expect(row.integer(1) == 1)
    }

    @Test func rowsSurviveTheGrowthOfTheirBlock() {
        var builder = RowBatchBuilder(capacity: 64)
        for key in 0..<5_000 {
            let text = String(repeating: "x", count: key % 97)
            builder.add(
                [.text(StoredText(text)), .integer(Int64(key))], [.text, .integer], key: Int64(key))
        }
        let batch = builder.finish()
        #expect(batch.count == 5_000)
        for (key, row) in batch.enumerated() {
            #expect(row.key == Int64(key) && row.integer(1) == Int64(key))
            #expect(row.unsafeBytes(0).count == key % 97)
        }
    }

    @Test func aBuilderIsEmptyAfterItsRowsAreHandedOver() {
        var builder = RowBatchBuilder(capacity: 1_000)
        builder.add([.integer(1)], [.integer], key: 1)
        let first = builder.finish()
        #expect(builder.count == 0 && builder.byteCount == 0)
        builder.add([.integer(2)], [.integer], key: 2)
        let second = builder.finish()
        #expect(first.map(\.key) == [1] && second.map(\.key) == [2])
        #expect(RowBatch.empty.isEmpty)
    }

    @Test func anAppendedCopyIsPackedAndHasAVersionOfItsOwn() {
        let kinds: [SlotKind] = [.text, .integer, .text]
        var source = RowBatchBuilder(capacity: 64)
        source.beginRow(
            entity: EntityID(index: 3), slotCount: 3, key: 5, version: RowVersion(rawValue: 1))
        for text in ["first", "second, longer", "3rd"] {
            source.set(.text(StoredText(text)), at: 0, as: .text)
        }
        source.set(integer: 6, at: 1)
        source.endRow()
        let row = source.finish()[0]
        var copies = RowBatchBuilder(capacity: 64)
        copies.append(row, layout: SampleRow.layout(kinds), version: RowVersion(rawValue: 2))
        #expect(copies.byteCount == (4 + 3) * 8 + 3)
        let copy = copies.finish()[0]
        #expect(copy.values(kinds) == [.text("3rd"), .integer(6), .null])
        #expect(copy.key == 5 && copy.entityID.index == 3 && copy.version.rawValue == 2)
        #expect(row.version.rawValue == 1)
    }

    @Test func aValueOfAnotherKindLeavesTheSlotNull() {
        var builder = RowBatchBuilder(capacity: 64)
        builder.add([.text("1"), .integer(1), .double(1)], [.integer, .text, .boolean])
        let row = builder.finish()[0]
        #expect((0..<3).allSatisfy { row.isNull($0) })
    }

    @Test func negativeZeroBecomesZero() {
        var builder = RowBatchBuilder(capacity: 64)
        builder.add(
            [.double(-0.0), .double(-0.0), .date(Date(timeIntervalSinceReferenceDate: -0.0))],
            [.double, .float, .date])
        let row = builder.finish()[0]
        #expect((0..<3).allSatisfy { row.integer($0) == 0 })
    }

    @Test func equalNumbersOfDifferentFormAreTheSameValue() {
        var builder = RowBatchBuilder(capacity: 64)
        for number in [Decimal(1), Decimal(sign: .plus, exponent: -2, significand: 100)] {
            builder.add([.decimal(number), .null, .text("a")], [.decimal, .text, .text])
        }
        builder.add([.decimal(2), .text(""), .text("b")], [.decimal, .text, .text])
        let rows = builder.finish()
        #expect(rows[0].hasSameValue(0, .decimal, as: rows[1]))
        #expect(rows[0].hasSameValue(1, .text, as: rows[1]))
        #expect(!rows[0].hasSameValue(0, .decimal, as: rows[2]))
        #expect(!rows[0].hasSameValue(1, .text, as: rows[2]))
        #expect(!rows[0].hasSameValue(2, .text, as: rows[2]))
    }

    @Test func bytesThatAreNoUUIDReadAsZeros() {
        var builder = RowBatchBuilder(capacity: 64)
        builder.add([.binary(Data([1, 2, 3]))], [.binary])
        #expect(
            builder.finish()[0].uuid(0)
                == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    }

    @Test func aRowKeepsItsBlockAlive() {
        func row() -> Row {
            var builder = RowBatchBuilder(capacity: 64)
            builder.add([.text("a text that lives in the block")], [.text])
            return builder.finish()[0]
        }
        let rows = (0..<100).map { _ in row() }
        #expect(rows.allSatisfy { $0.string(0) == "a text that lives in the block" })
    }

    @Test func destinationsCarryTheirOwnEntity() throws {
        let model = try ManagedObjectModel(LayoutTests.descriptions)
        let store = StoreHandle(uuid: UUID())
        let tower = try #require(model.entity(named: "Tower"))
        let inside = tower.relationships[0]
        let keeper = tower.relationships[1]
        func destination(
            _ relationship: Relationship, key: StoredValue, entity: StoredValue
        ) -> ManagedObjectID? {
            var builder = RowBatchBuilder(capacity: 64)
            var values = [StoredValue](repeating: .null, count: tower.layout.slotCount)
            values[relationship.slot ?? 0] = key
            values[7] = entity
            builder.add(values, tower.layout.kinds, entity: tower.id.index)
            return builder.finish()[0].destination(of: relationship, in: model, store: store)
        }
        let found = destination(inside, key: .integer(5), entity: .integer(0))
        #expect(found?.entityName == "Building" && found?.key == 5 && found?.store == store)
        #expect(destination(inside, key: .integer(5), entity: .null)?.entityName == "Place")
        #expect(destination(inside, key: .integer(-5), entity: .integer(3))?.isTemporaryID == true)
        #expect(destination(keeper, key: .integer(1), entity: .null)?.entityName == "Guest")
        #expect(destination(keeper, key: .null, entity: .null) == nil)
        for wrong in [Int64(4), -1, .max] {
            #expect(destination(inside, key: .integer(5), entity: .integer(wrong)) == nil)
        }
        #expect(destination(tower.toManyRelationships[0], key: .integer(1), entity: .null) == nil)
    }

    @Test func anObjectIDNamesEntityAndStore() throws {
        let model = try ManagedObjectModel(LayoutTests.descriptions)
        let store = StoreHandle(uuid: UUID())
        var builder = RowBatchBuilder(capacity: 64)
        builder.add([], [], key: 4, entity: 3)
        let id = builder.finish()[0].objectID(in: model, store: store)
        #expect(id.entityName == "Tower" && id.key == 4 && id.store == store)
    }
}
