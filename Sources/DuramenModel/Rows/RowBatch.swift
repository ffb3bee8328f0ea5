/// Rows that a store returned together, in one block of memory.
public final class RowBatch: Sendable {
    /// The block of all rows.
    public let storage: RowStorage
    // The distance of each row's first slot from the start of the block.
    @usableFromInline let offsets: ContiguousArray<UInt32>

    @inlinable init(storage: RowStorage, offsets: ContiguousArray<UInt32>) {
        self.storage = storage
        self.offsets = offsets
    }

    /// A batch without rows.
    public static let empty = {
        var builder = RowBatchBuilder(capacity: 8)
        return builder.finish()
    }()
}

extension RowBatch: RandomAccessCollection {
    /// The index of the first row.
    @inlinable public var startIndex: Int { 0 }
    /// The index after the last row.
    @inlinable public var endIndex: Int { offsets.count }

    /// Returns the row at an index.
    @inlinable public subscript(index: Int) -> Row {
        Row(storage: storage, words: storage.memory + Int(offsets[index]))
    }
}
