/// Rows under edit: a context's own blocks, in which new and changed objects keep their values until
/// a save shares them.
///
/// A changed tail value is appended to the block that its row lives in; when the arena has moved on
/// to another block, the row moves there first.
package struct RowArena {
    private var current: RowStorage?
    private let blockBytes: Int

    package init(blockBytes: Int = 65_536) { self.blockBytes = blockBytes }

    /// Makes a row whose slots are all null.
    package mutating func makeRow(entity: EntityID, slotCount: Int, key: Int64) -> MutableRow {
        let header = RowHeader.byteCount(slotCount: slotCount)
        let (storage, start) = reserve(header + slotCount * 8)
        start.initializeMemory(as: UInt64.self, repeating: ~0, count: header / 8)
        let words = start + header
        words.initializeMemory(as: UInt64.self, repeating: 0, count: slotCount)
        words.storeBytes(of: key, toByteOffset: -32, as: Int64.self)
        words.storeBytes(of: 0, toByteOffset: -24, as: Int64.self)
        words.storeBytes(
            of: UInt64(slotCount) << 48 | UInt64(entity.index) << 32, toByteOffset: -16,
            as: UInt64.self)
        return MutableRow(storage: storage, words: words)
    }

    /// Copies a row so that it can be changed, its tail packed.
    package mutating func copy(_ row: Row, layout: RowLayout) -> MutableRow {
        let header = RowHeader.byteCount(slotCount: layout.slotCount)
        var tail = 0
        for slot in 0..<layout.slotCount where layout.kinds[slot].isTail && !row.isNull(slot) {
            tail += row.unsafeBytes(slot).count
        }
        let fixed = header + layout.slotCount * 8
        let (storage, start) = reserve(fixed + tail)
        start.copyMemory(from: row.unsafeWords - header, byteCount: fixed)
        let words = start + header
        var end = layout.slotCount * 8
        for slot in 0..<layout.slotCount where layout.kinds[slot].isTail && !row.isNull(slot) {
            let bytes = row.unsafeBytes(slot)
            if let source = bytes.baseAddress {
                (words + end).copyMemory(from: source, byteCount: bytes.count)
            }
            words.storeBytes(
                of: UInt64(end) << 32 | UInt64(bytes.count), toByteOffset: slot * 8, as: UInt64.self)
            end += bytes.count
        }
        return MutableRow(storage: storage, words: words)
    }

    /// Gives a tail slot its bytes. The row may move, so `row` is updated.
    package mutating func set(
        bytes: UnsafeRawBufferPointer, at slot: Int, of row: inout MutableRow, layout: RowLayout
    ) {
        if current !== row.storage || !hasRoom(for: bytes.count) {
            row.setNull(slot)
            reserveBlock(for: RowHeader.byteCount(slotCount: layout.slotCount), row, layout, bytes.count)
            row = copy(row.row, layout: layout)
        }
        let (_, target) = reserve(bytes.count, aligned: false)
        if let source = bytes.baseAddress {
            target.copyMemory(from: source, byteCount: bytes.count)
        }
        let word = UInt64(target - row.words) << 32 | UInt64(bytes.count)
        row.words.storeBytes(of: word, toByteOffset: slot * 8, as: UInt64.self)
        row.clearNull(slot)
    }

    /// Copies a slot's value, or null, from another row of the layout.
    package mutating func copyValue(
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

    private func hasRoom(for count: Int) -> Bool {
        guard let current else { return false }
        return current.used + count <= current.capacity
    }

    /// Makes sure that a copy of `row` and `extra` more bytes fit into one block.
    private mutating func reserveBlock(
        for header: Int, _ row: MutableRow, _ layout: RowLayout, _ extra: Int
    ) {
        var needed = header + layout.slotCount * 8 + extra + 16
        for slot in 0..<layout.slotCount where layout.kinds[slot].isTail && !row.row.isNull(slot) {
            needed += row.row.unsafeBytes(slot).count
        }
        if !hasRoom(for: needed) { current = RowStorage(capacity: max(blockBytes, needed)) }
    }

    private mutating func reserve(
        _ count: Int, aligned: Bool = true
    ) -> (RowStorage, UnsafeMutableRawPointer) {
        if let current {
            let start = aligned ? (current.used + 7) & ~7 : current.used
            if start + count <= current.capacity {
                current.used = start + count
                return (current, current.memory + start)
            }
        }
        let block = RowStorage(capacity: max(blockBytes, count))
        block.used = count
        current = block
        return (block, block.memory)
    }
}

/// A row that its context may still change.
package struct MutableRow {
    package let storage: RowStorage
    package let words: UnsafeMutableRawPointer

    package init(storage: RowStorage, words: UnsafeMutableRawPointer) {
        self.storage = storage
        self.words = words
    }

    /// The same bytes, to be read. Whoever shares it must not change them any more.
    package var row: Row { Row(storage, unsafeWords: words) }

    package func set(integer value: Int64, at slot: Int) {
        words.storeBytes(of: value, toByteOffset: slot * 8, as: Int64.self)
        clearNull(slot)
    }

    package func set(double value: Double, at slot: Int) {
        words.storeBytes(of: value, toByteOffset: slot * 8, as: Double.self)
        clearNull(slot)
    }

    package func setNull(_ slot: Int) {
        let word = words + RowHeader.nullWord(of: slot) * 8
        word.storeBytes(of: word.load(as: UInt64.self) | 1 << UInt64(slot & 63), as: UInt64.self)
        words.storeBytes(of: 0, toByteOffset: slot * 8, as: UInt64.self)
    }

    package func clearNull(_ slot: Int) {
        let word = words + RowHeader.nullWord(of: slot) * 8
        word.storeBytes(of: word.load(as: UInt64.self) & ~(1 << UInt64(slot & 63)), as: UInt64.self)
    }

    /// Renames the row, when its object gets its permanent key.
    package func setKey(_ key: Int64) { words.storeBytes(of: key, toByteOffset: -32, as: Int64.self) }

    /// Stamps the version that a save gave.
    package func setVersion(_ version: RowVersion) {
        words.storeBytes(of: version.rawValue, toByteOffset: -24, as: Int64.self)
    }
}
