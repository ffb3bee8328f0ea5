/// Writes consecutive rows into a block of memory that grows as needed.
///
/// ```swift
/// var builder = RowBatchBuilder(capacity: 65_536)
/// let slotCount = entity.layout.slotCount
/// builder.beginRow(entity: entity.id, slotCount: slotCount, key: 7, version: version)
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

    /// Creates a builder with reserved memory, in bytes.
    public init(capacity: Int) {
        self.capacity = Swift.max(capacity, 64)
        memory = MemoryBlock.allocate(self.capacity)
    }

    /// Creates a builder with reserved memory, in bytes, for an expected number of rows.
    public init(capacity: Int, rows: Int) {
        self.init(capacity: capacity)
        offsets.reserveCapacity(rows)
    }

    // After `finish()` the batch owns the memory; the builder allocates more when it needs some.
    deinit { if capacity > 0 { MemoryBlock.release(memory) } }

    /// The number of finished rows.
    @inlinable public var count: Int { offsets.count }

    /// The number of bytes of the rows so far.
    @inlinable public var byteCount: Int { used }

    /// Whether the rows use so much memory, 8 MiB, that a batch should end with them.
    ///
    /// A cursor that ends its batches here can return rows of any size without holding many of them
    /// at a time.
    @inlinable public var isFull: Bool { used >= 8 << 20 }

    /// Begins a row with all slots null.
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

    /// Sets the word of a slot: an integer, a Boolean as 0 or 1, a key, or an entity index.
    @inlinable public mutating func set(integer value: Int64, at slot: Int) {
        let words = memory + wordsOffset
        words.storeBytes(of: value, toByteOffset: slot &* 8, as: Int64.self)
        clearNull(slot)
    }

    /// Sets a slot of the row to a double.
    @inlinable public mutating func set(double value: Double, at slot: Int) {
        let words = memory + wordsOffset
        words.storeBytes(of: value, toByteOffset: slot &* 8, as: Double.self)
        clearNull(slot)
    }

    /// Sets the bytes of a tail slot. The bytes are copied. A batch has at most 4 GiB.
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
        // Rows address their bytes with 32 bits; a larger batch would read other rows' bytes.
        precondition(used <= Int(UInt32.max), "A batch of rows holds at most 4 GiB.")
        offsets.append(UInt32(truncatingIfNeeded: wordsOffset))
    }

    /// Appends a copy of a row, its tail packed, with the given version.
    public mutating func append(_ row: Row, layout: RowLayout, version: RowVersion) {
        beginRow(
            entity: row.entityID, slotCount: layout.slotCount, key: row.key, version: version)
        for slot in 0..<layout.slotCount { copy(slot, of: row, layout) }
        endRow()
    }

    /// Appends a copy of a row with only some of its slots; the others are null.
    public mutating func append(_ row: Row, slots: SlotSet, layout: RowLayout) {
        beginRow(
            entity: row.entityID, slotCount: layout.slotCount, key: row.key, version: row.version)
        for slot in 0..<layout.slotCount where slots.contains(slot) {
            copy(slot, of: row, layout)
        }
        endRow()
    }

    /// Sets a slot to the value of another row of the layout, unless that value is null.
    @inline(__always)
    public mutating func copy(_ slot: Int, of row: Row, _ layout: RowLayout) {
        if row.isNull(slot) { return }
        if layout.kinds[slot].isTail {
            set(bytes: row.unsafeBytes(slot), at: slot)
        } else {
            set(integer: row.integer(slot), at: slot)
        }
    }

    /// Returns the rows as a batch, and empties the builder.
    public mutating func finish() -> RowBatch {
        let storage = finishStorage()
        return RowBatch(storage: storage, offsets: storage.rowOffsets)
    }

    /// Empties the builder, which keeps its memory.
    mutating func removeAll() {
        used = 0
        offsets.removeAll(keepingCapacity: true)
    }

    mutating func finishStorage() -> RowStorage {
        // The memory is that of the last batch.
        if capacity == 0 { grow(to: 0) }
        // Batches live as long as their objects, so unused memory is freed.
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
