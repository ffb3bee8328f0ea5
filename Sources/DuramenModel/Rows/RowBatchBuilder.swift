/// Writes rows one after the other into a block of memory that grows as needed.
///
/// ```swift
/// var builder = RowBatchBuilder(capacity: 65_536)
/// builder.beginRow(entity: entity.id, slotCount: entity.layout.slotCount, key: 7, version: version)
/// builder.set(double: 6.1, at: 2)
/// builder.endRow()
/// let batch = builder.finish()
/// ```
public struct RowBatchBuilder: ~Copyable {
    @usableFromInline var memory: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var used = 0
    @usableFromInline var wordsOffset = 0
    @usableFromInline var offsets = ContiguousArray<UInt32>()

    /// Reserves memory, in bytes.
    public init(capacity: Int) {
        self.capacity = Swift.max(capacity, 64)
        memory = MemoryBlock.allocate(self.capacity)
    }

    /// Reserves memory, in bytes, for about as many rows.
    public init(capacity: Int, rows: Int) {
        self.init(capacity: capacity)
        offsets.reserveCapacity(rows)
    }

    // After `finish()` the memory is the batch's, and there is none until more is needed.
    deinit { if capacity > 0 { MemoryBlock.release(memory) } }

    /// How many rows are finished.
    @inlinable public var count: Int { offsets.count }

    /// How many bytes the rows take so far.
    @inlinable public var byteCount: Int { used }

    /// Whether the rows take so much memory that a batch should end with them: 8 MiB.
    ///
    /// A cursor that ends its batches here hands out rows of any size without holding many of them
    /// at a time.
    @inlinable public var isFull: Bool { used >= 8 << 20 }

    /// Begins a row whose slots are all null.
    @inlinable public mutating func beginRow(
        entity: EntityID, slotCount: Int, key: Int64, version: RowVersion
    ) {
        let header = RowHeader.byteCount(slotCount: slotCount)
        used = (used &+ 7) & ~7
        reserve(header &+ slotCount &* 8)
        let start = memory + used
        wordsOffset = used &+ header
        let words = memory + wordsOffset
        start.initializeMemory(as: UInt64.self, repeating: ~0, count: header >> 3)
        words.initializeMemory(as: UInt64.self, repeating: 0, count: slotCount)
        words.storeBytes(of: key, toByteOffset: -32, as: Int64.self)
        words.storeBytes(of: version.rawValue, toByteOffset: -24, as: Int64.self)
        words.storeBytes(
            of: UInt64(slotCount) << 48 | UInt64(entity.index) << 32, toByteOffset: -16,
            as: UInt64.self)
        used = wordsOffset &+ slotCount &* 8
    }

    /// Gives a slot of the row a word: an integer, a boolean as 0 or 1, a key, or an entity index.
    @inlinable public mutating func set(integer value: Int64, at slot: Int) {
        let words = memory + wordsOffset
        words.storeBytes(of: value, toByteOffset: slot &* 8, as: Int64.self)
        clearNull(slot)
    }

    /// Gives a slot of the row a double.
    @inlinable public mutating func set(double value: Double, at slot: Int) {
        let words = memory + wordsOffset
        words.storeBytes(of: value, toByteOffset: slot &* 8, as: Double.self)
        clearNull(slot)
    }

    /// Gives a tail slot of the row its bytes, which are copied. A batch holds at most 4 GiB.
    @inlinable public mutating func set(bytes: UnsafeRawBufferPointer, at slot: Int) {
        reserve(bytes.count)
        if let source = bytes.baseAddress {
            (memory + used).copyMemory(from: source, byteCount: bytes.count)
        }
        let word = UInt64(used &- wordsOffset) << 32 | UInt64(bytes.count)
        (memory + wordsOffset).storeBytes(of: word, toByteOffset: slot &* 8, as: UInt64.self)
        used &+= bytes.count
        clearNull(slot)
    }

    /// Finishes the row that ``beginRow(entity:slotCount:key:version:)`` began.
    @inlinable public mutating func endRow() {
        // Rows address their bytes with 32 bits; past that they would read what is not theirs.
        precondition(used <= Int(UInt32.max), "A batch of rows holds at most 4 GiB.")
        offsets.append(UInt32(truncatingIfNeeded: wordsOffset))
    }

    /// Copies a row, its tail packed, with a version of its own.
    public mutating func append(_ row: Row, layout: RowLayout, version: RowVersion) {
        beginRow(
            entity: row.entityID, slotCount: layout.slotCount, key: row.key, version: version)
        for slot in 0..<layout.slotCount { copy(slot, of: row, layout) }
        endRow()
    }

    /// Copies some slots of a row; the others are null.
    public mutating func append(_ row: Row, slots: SlotSet, layout: RowLayout) {
        beginRow(
            entity: row.entityID, slotCount: layout.slotCount, key: row.key, version: row.version)
        for slot in 0..<layout.slotCount where slots.contains(slot) {
            copy(slot, of: row, layout)
        }
        endRow()
    }

    /// Gives a slot the value of another row of the layout, unless that is null.
    @inline(__always)
    public mutating func copy(_ slot: Int, of row: Row, _ layout: RowLayout) {
        if row.isNull(slot) { return }
        if layout.kinds[slot].isTail {
            set(bytes: row.unsafeBytes(slot), at: slot)
        } else {
            set(integer: row.integer(slot), at: slot)
        }
    }

    /// Hands the rows over; the builder is empty again.
    public mutating func finish() -> RowBatch {
        let storage = finishStorage()
        return RowBatch(storage: storage, offsets: storage.rowOffsets)
    }

    mutating func finishStorage() -> RowStorage {
        // Batches are held for as long as their objects, so what was reserved too much is given
        // back.
        if capacity &- used > 256 {
            capacity = used
            memory = MemoryBlock.grow(memory, to: capacity)
        }
        let storage = RowStorage(adopting: memory, capacity: capacity, rowOffsets: offsets)
        capacity = 0
        used = 0
        offsets = []
        return storage
    }

    @inlinable mutating func clearNull(_ slot: Int) {
        let word = memory + wordsOffset + RowHeader.nullWord(of: slot) &* 8
        let bits = word.load(as: UInt64.self)
        word.storeBytes(of: bits & ~(1 << UInt64(slot & 63)), as: UInt64.self)
    }

    @inlinable mutating func reserve(_ count: Int) {
        if used &+ count > capacity { grow(to: used &+ count) }
    }

    @usableFromInline mutating func grow(to needed: Int) {
        let isOwner = capacity > 0
        capacity = Swift.max(needed, capacity &* 2, 64)
        memory =
            isOwner
            ? MemoryBlock.grow(memory, to: capacity) : MemoryBlock.allocate(capacity)
    }
}
