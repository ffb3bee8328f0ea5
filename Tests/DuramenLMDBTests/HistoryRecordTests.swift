import DuramenStore
import DuramenTestKit
import Foundation
import Testing

@testable import DuramenLMDB

/// The bytes of LMDB's history.
@Suite struct HistoryRecordTests {
    private func record(_ random: inout SplitMix64) -> HistoryRecord {
        func number() -> UInt64 { random.next() >> UInt64.random(in: 0..<64, using: &random) }
        func key() -> Int64 {
            let key = Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random))
            return Bool.random(using: &random) ? key : ~key
        }
        let groups = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
            HistoryRecord.Group(
                type: .allCases.randomElement(using: &random) ?? .insert, entity: number(),
                properties: number(),
                columns: (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                    UInt8(random.next() & 255)
                },
                values: (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                    UInt8(random.next() & 255)
                },
                keys: (0..<Int.random(in: 0..<40, using: &random)).map { _ in key() })
        }
        let head = HistoryRecord.Head(
            timestamp: Date(timeIntervalSinceReferenceDate: Double(key())), author: number(),
            bundleID: number(), contextName: number(), processID: number())
        return HistoryRecord(
            head: Bool.random(using: &random) ? head : nil,
            firstChange: Int64(number() >> 1), groups: groups)
    }

    @Test func whatWasWrittenIsReadBack() throws {
        var random = SplitMix64(seed: 4)
        for _ in 0..<2_000 {
            let record = record(&random)
            try record.bytes.withUnsafeBytes { bytes in
                let found = try #require(
                    HistoryRecord(bytes, isFirst: record.head != nil, readsGroups: true))
                #expect(found.bytes == record.bytes && found.changeCount == record.changeCount)
                #expect(found.groups.map(\.keys) == record.groups.map(\.keys))
                let head = try #require(
                    HistoryRecord(bytes, isFirst: record.head != nil, readsGroups: false))
                #expect(head.storedCount == record.changeCount && head.groups.isEmpty)
            }
        }
    }

    /// Whatever bytes there are, they are a record or none, without a trap or much memory.
    @Test func anyBytesAreARecordOrNone() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<20_000 {
            var bytes = record(&random).bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8(random.next() & 255)
                case 1: bytes.removeLast(bytes.count - place)
                default: bytes.insert(0xFF, at: place)
                }
            }
            bytes.withUnsafeBytes { memory in
                for isFirst in [true, false] {
                    _ = HistoryRecord(memory, isFirst: isFirst, readsGroups: true)?.bytes
                }
            }
        }
    }
}
