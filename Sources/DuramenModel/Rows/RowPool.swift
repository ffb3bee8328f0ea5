/// A pool of memory blocks for rows that are read one by one. Small rows share a block, because
/// allocating a block for each row costs more than the rest of the work on it.
///
/// Blocks are small, because the last row in use keeps its block alive. A pool belongs to one
/// isolation.
public final class RowPool {
    private static let blockBytes = 8_192
    /// The size of the largest row that shares a block, in bytes.
    private static let largestRow = 512

    private let arena = RowArena(blockBytes: blockBytes)

    /// Creates a pool without blocks.
    public init() {}

    /// Returns a copy of a packed row.
    ///
    /// - Precondition: ``PackedRow/fits(_:)`` returned true for the layout of the row's entity.
    public func copy(_ row: PackedRow) -> Row {
        if row.bytes.count > Self.largestRow { return Row(copying: row) }
        return self.row(row.bytes, headerBytes: row.headerBytes)
    }

    /// Copies a small row that has its own block into a shared block; returns all other rows
    /// unchanged.
    public func share(_ row: Row) -> Row {
        let block = row.storage
        guard block.rowOffsets.count == 1, block.byteCount <= Self.largestRow else { return row }
        // Sound: `block` is held meanwhile.
        let bytes = UnsafeRawBufferPointer(start: block.memory, count: block.byteCount)
        return self.row(bytes, headerBytes: row.unsafeWords - UnsafeRawPointer(block.memory))
    }

    /// Returns the rows of a builder, and empties it. One small row is copied into a shared block,
    /// and the builder keeps its memory for the next one.
    public func take(from builder: inout RowBatchBuilder) -> [Row] {
        guard builder.count == 1, builder.byteCount <= Self.largestRow else {
            return Array(builder.finish())
        }
        // Sound: the builder keeps its bytes meanwhile.
        let bytes = UnsafeRawBufferPointer(start: builder.memory, count: builder.byteCount)
        let row = row(bytes, headerBytes: builder.wordsOffset)
        builder.removeAll()
        return [row]
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
