/// A block of memory that one or many rows live in, freed with its last owner.
///
/// ```
///   words[-5-k]  null bits of slots 64(k+1)…   (only in rows of more than 64 slots)
///   words[-4]    key
///   words[-3]    version
///   words[-2]    entity index (bits 32…47), slot count (bits 48…63)
///   words[-1]    null bits of slots 0…63, 1 = null
///   words[0…n]   one word per slot: the value itself, or offset << 32 | length of bytes
///   …            those bytes, at `offset` from words[0], anywhere in the same block
/// ```
/// Rows address their bytes from `words[0]`, so a block may be moved whole while it grows.
// Sound: a block is written by one builder or one context, and only until the rows in it are
// shared; from then on their bytes do not change.
public final class RowStorage: @unchecked Sendable {
    @usableFromInline let memory: UnsafeMutableRawPointer
    /// The number of bytes that the block holds in memory.
    public let byteCount: Int
    /// Where the first slots of the rows stand, when the rows came from a store together.
    package let rowOffsets: ContiguousArray<UInt32>
    /// The block with the rows that came next from the same fetch, linked by a context while its
    /// unit of work lasts. A weak reference would cost every retain and release a detour.
    package var next: RowStorage?

    /// Takes over memory that `malloc` gave.
    init(
        adopting memory: UnsafeMutableRawPointer, capacity: Int,
        rowOffsets: ContiguousArray<UInt32> = []
    ) {
        self.rowOffsets = rowOffsets
        self.memory = memory
        byteCount = capacity
    }

    /// Allocates a block, whose bytes are not yet written.
    convenience init(capacity: Int) {
        self.init(adopting: MemoryBlock.allocate(capacity), capacity: capacity)
    }

    deinit { MemoryBlock.release(memory) }

    /// The first slot of a row of ``rowOffsets``.
    @inline(__always) package func words(of index: Int) -> UnsafeMutableRawPointer {
        memory + Int(rowOffsets[index])
    }

    /// A row of ``rowOffsets``.
    package func row(at index: Int) -> Row {
        Row(self, unsafeWords: memory + Int(rowOffsets[index]))
    }

    /// The bytes before the first slot of a row.
    package static func headerBytes(slotCount: Int) -> Int {
        RowHeader.byteCount(slotCount: slotCount)
    }
}

/// Where the parts of a row stand; see ``RowStorage``.
@usableFromInline enum RowHeader {
    /// The words before `words[0]` of a row with up to 64 slots.
    @usableFromInline static let fixedWords = 4

    /// The bytes before `words[0]`.
    @inlinable static func byteCount(slotCount: Int) -> Int {
        slotCount <= 64 ? fixedWords * 8 : (fixedWords + (slotCount - 1) >> 6) * 8
    }

    /// The index, from `words[0]`, of the word with a slot's null bit.
    @inlinable static func nullWord(of slot: Int) -> Int {
        slot < 64 ? -1 : -4 - (slot >> 6)
    }
}
