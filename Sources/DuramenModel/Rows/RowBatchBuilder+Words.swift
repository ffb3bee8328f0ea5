extension RowBatchBuilder {
    /// Begins a row of up to 64 slots. The caller must write the words of all slots.
    ///
    /// - Returns: The address of the first slot, valid until bytes are added or the row ends.
    @inlinable public mutating func beginWords(
        entity: EntityID, slotCount: Int, key: Int64, version: RowVersion
    ) -> UnsafeMutableRawPointer {
        used = (used &+ 7) & ~7
        reserve(32 &+ slotCount &* 8)
        wordsOffset = used &+ 32
        let words = memory + wordsOffset
        words.storeBytes(of: key, toByteOffset: -32, as: Int64.self)
        words.storeBytes(of: version.rawValue, toByteOffset: -24, as: Int64.self)
        words.storeBytes(
            of: UInt64(slotCount) << 48 | UInt64(entity.index) << 32, toByteOffset: -16,
            as: UInt64.self)
        used = wordsOffset &+ slotCount &* 8
        return words
    }

    /// Appends bytes to the row that ``beginWords(entity:slotCount:key:version:)`` began, and
    /// writes the word of their slot.
    ///
    /// - Returns: The address of the first slot, which may have moved.
    @inlinable public mutating func addBytes(
        _ source: UnsafeRawPointer, count: Int, atOffset offset: Int
    ) -> UnsafeMutableRawPointer {
        reserve(count)
        (memory + used).copyMemory(from: source, byteCount: count)
        let words = memory + wordsOffset
        words.storeBytes(
            of: UInt64(used &- wordsOffset) << 32 | UInt64(count), toByteOffset: offset,
            as: UInt64.self)
        used &+= count
        return words
    }

    /// Ends the row. Each bit of `nulls` says whether its slot is null.
    @inlinable public mutating func endWords(nulls: UInt64) {
        (memory + wordsOffset).storeBytes(of: nulls, toByteOffset: -8, as: UInt64.self)
        endRow()
    }

    /// Ends and returns the only row, without allocating a list of offsets. Call it in place of
    /// ``endWords(nulls:)``.
    public mutating func finishOnlyRow(nulls: UInt64) -> Row {
        (memory + wordsOffset).storeBytes(of: nulls, toByteOffset: -8, as: UInt64.self)
        offsets = Self.onlyRow
        let storage = finishStorage()
        return Row(storage, unsafeWords: storage.memory + wordsOffset)
    }

    // The offset of the first row with up to 64 slots.
    static let onlyRow: ContiguousArray<UInt32> = [32]
}
