import CProcessor

/// CRC-32C, which detects damaged records.
enum Checksum {
    /// Tested once: not every processor of x86-64, or of arm64 with Linux, has the instruction.
    private static let hasInstruction = duramen_crc32c_has_instruction() != 0

    /// Returns the checksum of bytes.
    @inline(__always) static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 { ~begin(bytes) }

    /// Returns the checksum of two pieces of memory, one after the other.
    @inline(__always) static func of(
        _ first: UnsafeRawBufferPointer, then second: UnsafeRawBufferPointer
    ) -> UInt32 {
        let sum = begin(first)
        guard let start = start(of: second) else { return ~sum }
        return hasInstruction
            ? ~duramen_crc32c_fast(sum, start, second.count)
            : ~duramen_crc32c_portable(sum, start, second.count)
    }

    @inline(__always) private static func begin(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard let start = start(of: bytes) else { return ~0 }
        return hasInstruction
            ? duramen_crc32c_fast_whole(start, bytes.count)
            : duramen_crc32c_portable(~0, start, bytes.count)
    }

    @inline(__always) private static func start(
        of bytes: UnsafeRawBufferPointer
    ) -> UnsafePointer<UInt8>? {
        // Sound: bytes are bytes.
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}
