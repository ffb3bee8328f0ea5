/// A row's bytes outside of a block, in the layout of ``RowStorage``, with the tail directly after
/// the slots.
///
/// Stores may keep these bytes, at any alignment. The bytes are checked when they are read, so that
/// damaged or foreign bytes never make a row that reads beyond its block.
public struct PackedRow {
    /// The smallest number of bytes of a row.
    @inlinable public static var smallestByteCount: Int { RowHeader.byteCount(slotCount: 0) }

    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline let headerBytes: Int
    @usableFromInline let slotCount: Int

    /// Creates a view of the bytes of a row with a number of slots; nil if there are too few bytes.
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

    /// The index of the object's own entity in the model that the row was written with.
    @inlinable @inline(__always) public var entityIndex: Int {
        let word = bytes.loadUnaligned(fromByteOffset: headerBytes - 16, as: UInt64.self)
        return Int(word >> 32 & 0xFFFF)
    }

    /// Returns whether a slot has no value.
    @inlinable public func isNull(_ slot: Int) -> Bool {
        let place = headerBytes + RowHeader.nullWord(of: slot) * 8
        return bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) >> UInt64(slot & 63) & 1
            != 0
    }

    /// Returns the word of a slot.
    @inlinable @inline(__always) public func integer(_ slot: Int) -> Int64 {
        bytes.loadUnaligned(fromByteOffset: headerBytes + slot * 8, as: Int64.self)
    }

    /// Returns the bytes of a tail slot; nil if they would lie outside of the row.
    @inlinable @inline(__always) public func bytes(_ slot: Int) -> UnsafeRawBufferPointer? {
        let word = UInt64(bitPattern: integer(slot))
        let start = headerBytes + Int(word >> 32)
        let end = start + Int(word & 0xFFFF_FFFF)
        guard start >= headerBytes + slotCount * 8, end <= bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// Returns whether the row has the layout's number of slots, and every value lies within the
    /// row.
    @inlinable @inline(__always) public func fits(_ layout: RowLayout) -> Bool {
        fits(slotCount: layout.kinds.count, tailSlots: layout.tailSlots)
    }

    /// Returns whether the row has this number of slots, and the values of these tail slots lie
    /// within the row.
    @inlinable @inline(__always) public func fits(slotCount: Int, tailSlots: [Int]) -> Bool {
        if slotCount != self.slotCount { return false }
        for slot in tailSlots {
            // The word of a null slot is 0, and is never followed.
            if bytes(slot) == nil, integer(slot) != 0 { return false }
        }
        return true
    }
}

extension Row {
    /// Returns the number of bytes of the row when it is packed, at most 4 GiB.
    @inlinable @inline(__always)
    public func packedByteCount(layout: RowLayout) -> Int {
        var count = RowHeader.byteCount(slotCount: layout.slotCount) + layout.slotCount * 8
        for slot in layout.tailSlots where !isNull(slot) {
            count += Int(UInt64(bitPattern: integer(slot)) & 0xFFFF_FFFF)
        }
        return count
    }

    /// Writes the row's bytes, packed, with the given version.
    ///
    /// - Parameters:
    ///   - layout: The layout of the row's entity.
    ///   - version: The version to write.
    ///   - memory: The destination, of ``packedByteCount(layout:)`` bytes, at any alignment.
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
    /// Appends a copy of a packed row.
    ///
    /// - Precondition: ``PackedRow/fits(_:)`` returned true for the layout of the row's entity.
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
    /// Creates a copy of a packed row in a separate block.
    ///
    /// - Precondition: ``PackedRow/fits(_:)`` returned true for the layout of the row's entity.
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
