public import CProcessor

/// CRC-32C, which detects damaged records.
///
/// Every change of at most 32 neighbouring bits is found, and of other changes all but one in four
/// thousand million.
public struct Checksum {
    /// Tested once: not every processor of x86-64, or of arm64 with Linux, has the instruction.
    @usableFromInline static let hasInstruction = duramen_crc32c_has_instruction() != 0

    @usableFromInline var state: UInt32 = ~0

    /// Creates the checksum of no bytes.
    @inlinable public init() {}

    /// Creates a checksum that goes on after bytes whose checksum is known.
    @inlinable public init(after value: UInt32) { state = ~value }

    /// The checksum of all bytes so far.
    @inlinable public var value: UInt32 { ~state }

    /// Adds bytes.
    @inlinable @inline(__always) public mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = Self.start(of: bytes) else { return }
        state =
            Self.hasInstruction
            ? duramen_crc32c_fast(state, start, bytes.count)
            : Self.portable(state, start, bytes.count)
    }

    /// Returns the checksum of bytes.
    @inlinable @inline(__always) public static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        ~begin(bytes)
    }

    /// Returns the checksum of two pieces of memory, one after the other.
    @inlinable @inline(__always) public static func of(
        _ first: UnsafeRawBufferPointer, then second: UnsafeRawBufferPointer
    ) -> UInt32 {
        var sum = Checksum()
        sum.state = begin(first)
        sum.add(second)
        return sum.value
    }

    @inlinable @inline(__always) static func begin(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard let start = start(of: bytes) else { return ~0 }
        return hasInstruction
            ? duramen_crc32c_fast_whole(start, bytes.count)
            : portable(~0, start, bytes.count)
    }

    /// Continues a sum without the instruction. It is not inlined, because each file would get
    /// tables of 8 KiB.
    @usableFromInline @inline(never) static func portable(
        _ sum: UInt32, _ start: UnsafePointer<UInt8>, _ count: Int
    ) -> UInt32 {
        duramen_crc32c_portable(sum, start, count)
    }

    @inlinable @inline(__always) static func start(
        of bytes: UnsafeRawBufferPointer
    ) -> UnsafePointer<UInt8>? {
        // Sound: bytes are bytes.
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}
