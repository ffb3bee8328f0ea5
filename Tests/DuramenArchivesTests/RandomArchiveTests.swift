import DuramenArchives
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@Suite struct RandomArchiveTests {
    @Test func randomValuesAreReadAsTheyWereWritten() throws {
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        for _ in 0..<repetitions(300) {
            let value = randomValue(depth: 5, &random)
            let archive = try value.archive()
            let read = try ArchivedValue(archive: archive)
            #expect(read == value, "seed \(seed)")
            #expect(try read.archive() == archive, "seed \(seed)")
        }
    }

    @Test func changedArchivesGiveAValueOrAnError() throws {
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        for _ in 0..<repetitions(2_000) {
            var bytes = Array(try randomValue(depth: 3, &random).archive())
            for _ in 0..<Int.random(in: 1...6, using: &random) { mutate(&bytes, &random) }
            guard case .success(let value) = reading(bytes) else { continue }
            // What was read has an archive, unless that would be too large or too deep.
            guard let archive = try? value.archive() else { continue }
            #expect(reading(Array(archive)) == .success(value), "seed \(seed)")
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        guard bytes.count > 40 else { return }
        let place = bytes.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        case 4: bytes[bytes.count - 1 - place % 32] = UInt8.random(in: 0...255, using: &random)
        default:
            let other = bytes.indices.randomElement(using: &random) ?? 0
            bytes.swapAt(place, other)
        }
    }

    private func randomValue(depth: Int, _ random: inout SplitMix64) -> ArchivedValue {
        let kinds = depth == 0 ? 12 : 17
        func elements() -> [ArchivedValue] {
            (0..<Int.random(in: 0...5, using: &random)).map { _ in
                randomValue(depth: depth - 1, &random)
            }
        }
        switch Int.random(in: 0..<kinds, using: &random) {
        case 0: return .null
        case 1: return .string(["", "abc", "ä", "NSArray", "root"].randomElement(using: &random)!)
        case 2: return .string(String(UInt64.random(in: 0 ... .max, using: &random)))
        case 3: return .integer(Int64(Int8.random(in: .min ... .max, using: &random)))
        case 4: return .integer(Int64.random(in: .min ... .max, using: &random))
        case 5: return .unsigned(UInt64.random(in: (1 << 63) ... .max, using: &random))
        case 6: return .double(Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random)))
        case 7: return .boolean(Bool.random(using: &random))
        case 8:
            return .decimal(
                Decimal(
                    sign: Bool.random(using: &random) ? .plus : .minus,
                    exponent: Int.random(in: -60...60, using: &random),
                    significand: Decimal(UInt64.random(in: 0 ... .max, using: &random))))
        case 9:
            return .date(
                Date(timeIntervalSinceReferenceDate: Double.random(in: -9e9...9e9, using: &random)))
        case 10: return .data(Data((0..<Int.random(in: 0...40, using: &random)).map { _ in 7 }))
        case 11: return .url(ArchivedURL("a/\(Int.random(in: 0...9, using: &random))"))
        case 12: return .array(elements())
        case 13: return .set(elements())
        case 14: return .orderedSet(elements())
        case 15: return .mutable(.array(elements()))
        default: return .dictionary(elements().map { .init($0, .string("value")) })
        }
    }
}
