import CLMDB

/// CRC32C, by which damaged records are told.
enum Checksum {
    private static let hasInstruction = duramen_crc32c_has_instruction() != 0

    /// The checksum of bytes.
    @inline(__always) static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        of(bytes, then: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// The checksum of two pieces of memory, one after the other.
    @inline(__always) static func of(
        _ first: UnsafeRawBufferPointer, then second: UnsafeRawBufferPointer
    ) -> UInt32 {
        ~add(second, to: add(first, to: ~0))
    }

    @inline(__always) private static func add(
        _ bytes: UnsafeRawBufferPointer, to sum: UInt32
    ) -> UInt32 {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return sum }
        return hasInstruction
            ? duramen_crc32c_fast(sum, start, bytes.count)
            : duramen_crc32c_portable(sum, start, bytes.count)
    }
}
