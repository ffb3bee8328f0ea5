/// The blocks of a context in which new and changed objects keep their rows until a save shares
/// them.
///
/// A changed tail value is appended to the block of its row. If the arena already uses another
/// block, the row moves there first.
// Sound: unchecked exclusivity, since an arena is used by one context, and no access calls out.
package final class RowArena {
    @exclusivity(unchecked) private var current: RowStorage
    /// The block of the last copied row.
    // Sound: the arena keeps it until the next copy.
    package var currentBlock: Unmanaged<RowStorage> { .passUnretained(current) }
    // The current block by address, so that writing into it counts no references.
    @exclusivity(unchecked) private var start: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var place: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var end: UnsafeMutableRawPointer
    private let blockBytes: Int
    private let hasLargeBlocks: Bool
    /// The bytes of all blocks since ``beginAnew()``, up to ``manyBytes``.
    private var byteCount = 0
    /// After so many bytes, blocks are large, although most of the last block may stay empty.
    private static let manyBytes = 4 << 20

    /// Creates an arena without blocks.
    ///
    /// - Parameters:
    ///   - blockBytes: The size of a block; a larger row has a block of its own size.
    ///   - hasLargeBlocks: Whether many rows at a time use large blocks. The last row in use keeps
    ///     its block alive.
    package init(blockBytes: Int = 65_536, hasLargeBlocks: Bool = false) {
        self.blockBytes = blockBytes
        self.hasLargeBlocks = hasLargeBlocks
        current = RowStorage(capacity: 8)
        start = current.memory
        place = start
        end = start
    }

    /// Starts with small blocks again. Call it between units of work, so that a long-lived arena
    /// with few rows at a time does not use large blocks.
    package func beginAnew() { byteCount = 0 }

    /// Returns a copy of a row that can be changed, with its tail packed.
    package func copy(_ row: Row, layout: RowLayout) -> MutableRow {
        let header = RowHeader.byteCount(slotCount: layout.slotCount)
        var tail = 0
        for slot in 0..<layout.slotCount where layout.kinds[slot].isTail && !row.isNull(slot) {
            tail += row.unsafeBytes(slot).count
        }
        let fixed = header + layout.slotCount * 8
        let target = reserve(fixed + tail)
        target.copyMemory(from: row.unsafeWords - header, byteCount: fixed)
        let words = target + header
        var end = layout.slotCount * 8
        for slot in 0..<layout.slotCount where layout.kinds[slot].isTail && !row.isNull(slot) {
            let bytes = row.unsafeBytes(slot)
            if let source = bytes.baseAddress {
                (words + end).copyMemory(from: source, byteCount: bytes.count)
            }
            words.storeBytes(
                of: UInt64(end) << 32 | UInt64(bytes.count), toByteOffset: slot * 8, as: UInt64.self
            )
            end += bytes.count
        }
        return MutableRow(storage: current, words: words)
    }

    /// Copies a row without tail bytes, such as the row of a new object, into ``currentBlock``.
    ///
    /// - Returns: The address of the first slot.
    package func copyFixed(
        _ row: Row, header: Int, slotCount: Int
    ) -> UnsafeMutableRawPointer {
        let count = header + slotCount * 8
        let start = reserve(count)
        start.copyMemory(from: row.unsafeWords - header, byteCount: count)
        return start + header
    }

    /// Copies the bytes of rows into ``currentBlock``.
    @inline(__always) func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
        let start = reserve(bytes.count)
        if let source = bytes.baseAddress {
            start.copyMemory(from: source, byteCount: bytes.count)
        }
        return start
    }

    /// Sets the bytes of a tail slot if the row's block is the current block and has room.
    @inline(__always)
    package func setInPlace(
        bytes: UnsafeRawBufferPointer, at slot: Int, of words: UnsafeMutableRawPointer
    ) -> Bool {
        guard words >= start, words < end, place + bytes.count <= end else { return false }
        append(bytes, at: slot, of: words)
        return true
    }

    /// Sets the bytes of a tail slot. The row may move, so `row` is updated.
    package func set(
        bytes: UnsafeRawBufferPointer, at slot: Int, of row: inout MutableRow, layout: RowLayout
    ) {
        if setInPlace(bytes: bytes, at: slot, of: row.words) { return }
        row = setByMoving(bytes, slot, row, layout)
    }

    @inline(__always)
    private func append(
        _ bytes: UnsafeRawBufferPointer, at slot: Int, of words: UnsafeMutableRawPointer
    ) {
        if let source = bytes.baseAddress {
            place.copyMemory(from: source, byteCount: bytes.count)
        }
        let word = UInt64(place - words) << 32 | UInt64(bytes.count)
        words.storeBytes(of: word, toByteOffset: slot * 8, as: UInt64.self)
        let nulls = words + RowHeader.nullWord(of: slot) * 8
        nulls.storeBytes(
            of: nulls.load(as: UInt64.self) & ~(1 << UInt64(slot & 63)), as: UInt64.self)
        place += bytes.count
    }

    @inline(never)
    private func setByMoving(
        _ bytes: UnsafeRawBufferPointer, _ slot: Int, _ row: MutableRow, _ layout: RowLayout
    ) -> MutableRow {
        // The new bytes may be the row's own old bytes, so the row is kept until they are copied.
        let old = row.row
        var needed = RowHeader.byteCount(slotCount: layout.slotCount) + layout.slotCount * 8
        needed += bytes.count + 16
        for other in 0..<layout.slotCount
        where layout.kinds[other].isTail && other != slot && !old.isNull(other) {
            needed += old.unsafeBytes(other).count
        }
        row.setNull(slot)
        if end - place < needed { startBlock(for: needed) }
        let moved = copy(old, layout: layout)
        append(bytes, at: slot, of: moved.words)
        return moved
    }

    /// Copies a slot's value, or null, from another row of the layout.
    package func copyValue(
        of slot: Int, from source: Row, to row: inout MutableRow, layout: RowLayout
    ) {
        if source.isNull(slot) {
            row.setNull(slot)
        } else if layout.kinds[slot].isTail {
            set(bytes: source.unsafeBytes(slot), at: slot, of: &row, layout: layout)
        } else {
            row.set(integer: source.integer(slot), at: slot)
        }
    }

    @inline(__always)
    private func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        let aligned = start + ((place - start + 7) & ~7)
        if aligned + count <= end {
            place = aligned + count
            return aligned
        }
        startBlock(for: count)
        place = start + count
        return start
    }

    @inline(never)
    private func startBlock(for count: Int) {
        // Rows address their bytes with 32 bits.
        precondition(count <= Int(UInt32.max), "A row holds at most 4 GiB.")
        current = makeBlock(for: count)
        start = current.memory
        place = start
        end = start + current.byteCount
    }

    private func makeBlock(for count: Int) -> RowStorage {
        if hasLargeBlocks, byteCount >= Self.manyBytes, count <= MemoryBlock.largeCount {
            return RowStorage(
                adopting: MemoryBlock.allocateLarge(), capacity: MemoryBlock.largeCount)
        }
        let block = RowStorage(capacity: max(blockBytes, count))
        byteCount += block.byteCount
        return block
    }
}

/// A row that its context may still change.
package struct MutableRow {
    /// The block that the row lives in.
    package let storage: RowStorage
    /// The address of the first slot, valid while ``storage`` lives.
    package let words: UnsafeMutableRawPointer

    /// Creates a row from its block and the address of its first slot.
    package init(storage: RowStorage, words: UnsafeMutableRawPointer) {
        self.storage = storage
        self.words = words
    }

    /// The row for reading. After it is shared, the bytes must not change.
    package var row: Row { Row(storage, unsafeWords: words) }

    /// Sets the key and the version to those of another row.
    package func setIdentity(of other: Row) {
        Row.setKey(other.key, at: words)
        Row.setVersion(other.version, at: words)
    }

    /// Sets the word of a slot: an integer, a Boolean as 0 or 1, a key, or an entity index.
    package func set(integer value: Int64, at slot: Int) {
        words.storeBytes(of: value, toByteOffset: slot * 8, as: Int64.self)
        clearNull(slot)
    }

    /// Sets a slot to a double.
    package func set(double value: Double, at slot: Int) {
        words.storeBytes(of: value, toByteOffset: slot * 8, as: Double.self)
        clearNull(slot)
    }

    /// Sets a slot to null.
    package func setNull(_ slot: Int) {
        let word = words + RowHeader.nullWord(of: slot) * 8
        word.storeBytes(of: word.load(as: UInt64.self) | 1 << UInt64(slot & 63), as: UInt64.self)
        words.storeBytes(of: 0, toByteOffset: slot * 8, as: UInt64.self)
    }

    /// Marks a slot as not null.
    package func clearNull(_ slot: Int) {
        let word = words + RowHeader.nullWord(of: slot) * 8
        word.storeBytes(of: word.load(as: UInt64.self) & ~(1 << UInt64(slot & 63)), as: UInt64.self)
    }
}
