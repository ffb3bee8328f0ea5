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
}
