/// A block of memory with one or more rows, freed with its last owner.
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
/// Rows address their bytes from `words[0]`, so a block can move as a whole while it grows.
// Sound: a block is written by one builder or one context, and only until the rows in it are
// shared. Afterwards their bytes do not change.
public final class RowStorage: @unchecked Sendable {
    @usableFromInline let memory: UnsafeMutableRawPointer
    /// The number of bytes of the block in memory.
    public let byteCount: Int
    /// The offsets of the rows' first slots, if a store returned the rows together.
    package let rowOffsets: ContiguousArray<UInt32>
    /// The block with the next rows of the fetch, which a context links until its unit of work
    /// ends. A weak reference would make every retain and release slower.
    package var next: RowStorage?

    /// Creates a block that owns memory of `malloc`.
    init(
        adopting memory: UnsafeMutableRawPointer, capacity: Int,
        rowOffsets: ContiguousArray<UInt32> = []
    ) {
        self.rowOffsets = rowOffsets
        self.memory = memory
        byteCount = capacity
    }

    /// Creates a block with uninitialized bytes.
    convenience init(capacity: Int) {
        self.init(adopting: MemoryBlock.allocate(capacity), capacity: capacity)
    }

    deinit { MemoryBlock.release(memory) }

    /// Returns the first slot of a row of ``rowOffsets``.
    @inline(__always) package func words(of index: Int) -> UnsafeMutableRawPointer {
        memory + Int(rowOffsets[index])
    }

    /// Returns a row of ``rowOffsets``.
    package func row(at index: Int) -> Row {
        Row(self, unsafeWords: memory + Int(rowOffsets[index]))
    }

    /// Returns the number of bytes before the first slot of a row.
    package static func headerBytes(slotCount: Int) -> Int {
        RowHeader.byteCount(slotCount: slotCount)
    }
}

/// The offsets of the parts of a row; see ``RowStorage``.
@usableFromInline enum RowHeader {
    /// The number of words before `words[0]` of a row with up to 64 slots.
    @usableFromInline static let fixedWords = 4

    /// Returns the number of bytes before `words[0]`.
    @inlinable static func byteCount(slotCount: Int) -> Int {
        slotCount <= 64 ? fixedWords * 8 : (fixedWords + (slotCount - 1) >> 6) * 8
    }

    /// Returns the index, from `words[0]`, of the word with a slot's null bit.
    @inlinable static func nullWord(of slot: Int) -> Int {
        slot < 64 ? -1 : -4 - (slot >> 6)
    }
}
