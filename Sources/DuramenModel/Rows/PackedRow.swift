/// A row's bytes outside of a block: as ``RowStorage`` lays them out, the tail right behind the
/// slots.
///
/// Stores may keep these bytes, at any alignment. What comes back is checked, so that damaged or
/// foreign bytes never make a row that reads beyond its block.
public struct PackedRow {
    /// The fewest bytes that a row has.
    @inlinable public static var smallestByteCount: Int { RowHeader.byteCount(slotCount: 0) }

    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline let headerBytes: Int
    @usableFromInline let slotCount: Int

    /// Looks at bytes that shall be a row with as many slots; nil when they are too few.
    ///
    /// The bytes must stay valid while the value is used.
    @inlinable @inline(__always)
    public init?(_ bytes: UnsafeRawBufferPointer, slotCount: Int) {
        let headerBytes = RowHeader.byteCount(slotCount: slotCount)
        guard bytes.count >= headerBytes + slotCount * 8 else { return nil }
        self.bytes = bytes
        self.headerBytes = headerBytes
        self.slotCount = slotCount
        let word = bytes.loadUnaligned(fromByteOffset: headerBytes - 16, as: UInt64.self)
        guard Int(word >> 48) == slotCount else { return nil }
    }

    /// The object's key.
    @inlinable @inline(__always) public var key: Int64 {
        bytes.loadUnaligned(fromByteOffset: headerBytes - 32, as: Int64.self)
    }

    /// The row's version.
    @inlinable @inline(__always) public var version: RowVersion {
        RowVersion(
            rawValue: bytes.loadUnaligned(fromByteOffset: headerBytes - 24, as: Int64.self))
    }

    /// The place of the object's own entity in the model that the row was written with.
    @inlinable @inline(__always) public var entityIndex: Int {
        let word = bytes.loadUnaligned(fromByteOffset: headerBytes - 16, as: UInt64.self)
        return Int(word >> 32 & 0xFFFF)
    }

    /// Whether a slot has no value.
    @inlinable public func isNull(_ slot: Int) -> Bool {
        let place = headerBytes + RowHeader.nullWord(of: slot) * 8
        return bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) >> UInt64(slot & 63) & 1
            != 0
    }

    /// The word of a slot.
    @inlinable @inline(__always) public func integer(_ slot: Int) -> Int64 {
        bytes.loadUnaligned(fromByteOffset: headerBytes + slot * 8, as: Int64.self)
    }

    /// The bytes of a tail slot; nil when they would lie outside of the row.
    @inlinable @inline(__always) public func bytes(_ slot: Int) -> UnsafeRawBufferPointer? {
        let word = UInt64(bitPattern: integer(slot))
        let start = headerBytes + Int(word >> 32)
        let end = start + Int(word & 0xFFFF_FFFF)
        guard start >= headerBytes + slotCount * 8, end <= bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// Whether every value of the row lies within it, and it is of the entity that the layout is
    /// for.
    @inlinable @inline(__always) public func fits(_ layout: RowLayout) -> Bool {
        fits(slotCount: layout.kinds.count, tailSlots: layout.tailSlots)
    }

    /// Whether every value of the row lies within it, when these slots are those with tails.
    @inlinable @inline(__always) public func fits(slotCount: Int, tailSlots: [Int]) -> Bool {
        if slotCount != self.slotCount { return false }
        for slot in tailSlots {
            // A null slot's word is 0, which no reader follows.
            if bytes(slot) == nil, integer(slot) != 0 { return false }
        }
        return true
    }
}

extension Row {
    /// The bytes that the row takes packed, at most 4 GiB.
    @inlinable @inline(__always)
    public func packedByteCount(layout: RowLayout) -> Int {
        var count = RowHeader.byteCount(slotCount: layout.slotCount) + layout.slotCount * 8
        for slot in layout.tailSlots where !isNull(slot) {
            count += Int(UInt64(bitPattern: integer(slot)) & 0xFFFF_FFFF)
        }
        return count
    }

    /// Writes the row's bytes, packed, with a version of its own.
    ///
    /// - Parameter memory: ``packedByteCount(layout:)`` bytes, at any alignment.
    @inlinable @inline(__always)
    public func writePacked(
        layout: RowLayout, version: RowVersion, to memory: UnsafeMutableRawBufferPointer
    ) {
        guard let start = memory.baseAddress else { return }
        let header = RowHeader.byteCount(slotCount: layout.slotCount)
        let fixed = header + layout.slotCount * 8
        start.copyMemory(from: words - header, byteCount: fixed)
        start.storeBytes(of: version.rawValue, toByteOffset: header - 24, as: Int64.self)
        var end = layout.slotCount * 8
        for slot in layout.tailSlots {
            var word: UInt64 = 0
            if !isNull(slot) {
                let bytes = unsafeBytes(slot)
                if let source = bytes.baseAddress {
                    (start + header + end).copyMemory(from: source, byteCount: bytes.count)
                }
                word = UInt64(end) << 32 | UInt64(bytes.count)
                end += bytes.count
            }
            start.storeBytes(of: word, toByteOffset: header + slot * 8, as: UInt64.self)
        }
    }
}

extension RowBatchBuilder {
    /// Copies a packed row.
    ///
    /// - Precondition: ``PackedRow/fits(_:)`` said that it fits the layout of its entity.
    @inlinable @inline(__always)
    public mutating func append(_ row: PackedRow) {
        used = (used &+ 7) & ~7
        reserve(row.bytes.count)
        wordsOffset = used &+ row.headerBytes
        if let source = row.bytes.baseAddress {
            (memory + used).copyMemory(from: source, byteCount: row.bytes.count)
        }
        used &+= row.bytes.count
        endRow()
    }
}

extension Row {
    /// Copies a packed row into a block of its size.
    ///
    /// - Precondition: ``PackedRow/fits(_:)`` said that it fits the layout of its entity.
    public init(copying row: PackedRow) {
        let memory = MemoryBlock.allocate(row.bytes.count)
        if let source = row.bytes.baseAddress {
            memory.copyMemory(from: source, byteCount: row.bytes.count)
        }
        let offsets =
            row.slotCount <= 64
            ? RowBatchBuilder.onlyRow : [UInt32(truncatingIfNeeded: row.headerBytes)]
        let storage = RowStorage(
            adopting: memory, capacity: row.bytes.count, rowOffsets: offsets)
        self.init(storage: storage, words: memory + row.headerBytes)
    }
}
