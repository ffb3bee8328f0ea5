import CProcessor
import DuramenFileStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// The checksums of records: the portable form, the instruction, and the one that is chosen.
struct ChecksumTests {
    /// Bytes and their checksum.
    struct Vector: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        let checksum: UInt32
    }

    /// RFC 3720, B.4, and the check value that catalogues of such sums list.
    static let vectors = [
        Vector(testDescription: "no bytes", bytes: [], checksum: 0),
        Vector(testDescription: "123456789", bytes: Array("123456789".utf8), checksum: 0xE306_9283),
        Vector(
            testDescription: "32 zeros", bytes: [UInt8](repeating: 0, count: 32),
            checksum: 0x8A91_36AA),
        Vector(
            testDescription: "32 ones", bytes: [UInt8](repeating: 0xFF, count: 32),
            checksum: 0x62A8_AB43),
        Vector(testDescription: "ascending", bytes: Array(0..<32), checksum: 0x46DD_794E),
        Vector(
            testDescription: "descending", bytes: (0..<32).reversed(), checksum: 0x113F_DB5C),
        Vector(
            testDescription: "a command of iSCSI",
            bytes: [
                0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0,
                0, 0, 0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0,
            ],
            checksum: 0xD996_3A56),
    ]

    @Test(
        "Every form computes the checksums of the standard", arguments: ChecksumForm.available,
        vectors)
    func standard(form: ChecksumForm, vector: Vector) {
        vector.bytes.withUnsafeBytes { #expect(form.checksum([$0]) == vector.checksum) }
    }

    @Test(
        "Every form agrees with the definition for each length and alignment, in one piece or two",
        arguments: ChecksumForm.available)
    func everyLength(form: ChecksumForm) {
        let all = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
        for start in 0..<8 {
            for end in start...all.count {
                let expected = bitByBit(all[start..<end])
                all.withUnsafeBytes { all in
                    let bytes = UnsafeRawBufferPointer(rebasing: all[start..<end])
                    #expect(form.checksum([bytes]) == expected)
                    for cut in 0...bytes.count {
                        let first = UnsafeRawBufferPointer(rebasing: bytes[..<cut])
                        let second = UnsafeRawBufferPointer(rebasing: bytes[cut...])
                        #expect(form.checksum([first, second]) == expected)
                    }
                }
            }
        }
    }

    @Test(
        "Every form agrees with the definition for random bytes in one piece or two",
        arguments: ChecksumForm.available)
    func randomBytes(form: ChecksumForm) {
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        for number in 0..<200 {
            let all = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) }
            let start = Int.random(in: 0..<16, using: &random)
            let end = Int.random(in: start...all.count, using: &random)
            let cut = Int.random(in: start...end, using: &random)
            let expected = bitByBit(all[start..<end])
            all.withUnsafeBytes { all in
                let pieces = [start..<cut, cut..<end].map {
                    UnsafeRawBufferPointer(rebasing: all[$0])
                }
                let whole = UnsafeRawBufferPointer(rebasing: all[start..<end])
                #expect(form.checksum([whole]) == expected, "seed \(seed), number \(number)")
                #expect(form.checksum(pieces) == expected, "seed \(seed), number \(number)")
            }
        }
    }

    @Test(
        "The instruction is chosen where Linux lists it",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/cpuinfo")))
    func choice() throws {
        let listing = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let features = Set(listing.split(whereSeparator: \.isWhitespace))
        // x86-64 has the instruction in a group of others, arm64 under its own name.
        let isListed = features.contains("sse4_2") || features.contains("crc32")
        #expect(ChecksumForm.available.contains(.instruction) == isListed)
    }

    /// The definition: the remainder of a division of polynomials, from the lowest bit on.
    private func bitByBit(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var sum: UInt32 = ~0
        for byte in bytes {
            for bit in 0..<8 {
                let isOdd = (sum ^ UInt32(byte) >> UInt32(bit)) & 1 == 1
                sum = isOdd ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1
            }
        }
        return ~sum
    }
}

/// A way to compute a checksum.
enum ChecksumForm: CaseIterable {
    /// By tables.
    case portable
    /// By an instruction of the processor.
    case instruction
    /// By what the store chooses.
    case chosen

    /// The forms that this processor can run.
    static let available = allCases.filter {
        $0 != .instruction || duramen_crc32c_has_instruction() != 0
    }

    /// The checksum of one piece, or of two.
    func checksum(_ pieces: [UnsafeRawBufferPointer]) -> UInt32 {
        if self == .chosen {
            return pieces.count == 1
                ? Checksum.of(pieces[0]) : Checksum.of(pieces[0], then: pieces[1])
        }
        var sum: UInt32 = ~0
        for (index, piece) in pieces.enumerated() {
            guard let start = piece.bindMemory(to: UInt8.self).baseAddress else { continue }
            sum =
                switch (self, index) {
                case (.portable, _): duramen_crc32c_portable(sum, start, piece.count)
                case (_, 0): duramen_crc32c_fast_whole(start, piece.count)
                default: duramen_crc32c_fast(sum, start, piece.count)
                }
        }
        return ~sum
    }
}
