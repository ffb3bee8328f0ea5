/// A pool of memory blocks for rows that are read one by one. Small rows share a block, because
/// allocating a block for each row costs more than the rest of the work on it.
///
/// Blocks are small, because the last row in use keeps its block alive. A pool belongs to one
/// isolation.
public final class RowPool {
    private static let blockBytes = 8_192
    /// The largest row that shares a block.
    private static let largestRow = 512

    private let arena = RowArena(blockBytes: blockBytes)

    /// Makes a pool without blocks.
    public init() {}

    /// Copies a packed row.
    ///
    /// - Precondition: ``PackedRow/fits(_:)`` said that it fits the layout of its entity.
    public func copy(_ row: PackedRow) -> Row {
        if row.bytes.count > Self.largestRow { return Row(copying: row) }
        return self.row(row.bytes, headerBytes: row.headerBytes)
    }

    /// Moves a small row that has a block for itself; leaves all others where they are.
    public func share(_ row: Row) -> Row {
        let block = row.storage
        guard block.rowOffsets.count == 1, block.byteCount <= Self.largestRow else { return row }
        // Sound: `block` is held meanwhile.
        let bytes = UnsafeRawBufferPointer(start: block.memory, count: block.byteCount)
        return self.row(bytes, headerBytes: row.unsafeWords - UnsafeRawPointer(block.memory))
    }

    @inline(__always)
    private func row(_ bytes: UnsafeRawBufferPointer, headerBytes: Int) -> Row {
        let start = arena.copy(bytes)
        // Sound: `start` is in the block.
        return Row(arena.currentBlock.takeUnretainedValue(), unsafeWords: start + headerBytes)
    }
}

@available(*, unavailable, message: "a pool belongs to one isolation; pass the rows")
extension RowPool: Sendable {}
