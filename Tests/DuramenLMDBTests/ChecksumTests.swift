import Testing

@testable import DuramenLMDB

/// The checksums of records.
struct ChecksumTests {
    /// RFC 3720, B.4.
    @Test("A checksum is the one of the standard")
    func standard() {
        let zeros = [UInt8](repeating: 0, count: 32)
        #expect(zeros.withUnsafeBytes { Checksum.of($0) } == 0x8A91_36AA)
        let ascending = (0..<32).map { UInt8($0) }
        #expect(ascending.withUnsafeBytes { Checksum.of($0) } == 0x46DD_794E)
    }

    @Test("A checksum is the same bit by bit, for bytes of any length, in one piece or two")
    func everyLength() {
        let bytes = (0..<80).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
        for count in 0...bytes.count {
            let expected = bitByBit(bytes[..<count])
            bytes.withUnsafeBytes { all in
                let whole = UnsafeRawBufferPointer(rebasing: all[..<count])
                #expect(Checksum.of(whole) == expected)
                for cut in 0...count {
                    let first = UnsafeRawBufferPointer(rebasing: whole[..<cut])
                    let second = UnsafeRawBufferPointer(rebasing: whole[cut...])
                    #expect(Checksum.of(first, then: second) == expected)
                }
            }
        }
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
