import DuramenModel

/// A table of one hierarchy's rows by key, with about one and a third words per row.
///
/// It holds addresses only; the owner of the table must retain the rows.
// Sound: the addresses are read while the owner of the table keeps the rows that they are of.
struct ListRowTable: @unchecked Sendable {
    /// The cells, by open addressing, at most four fifths full.
    private var cells: ContiguousArray<UnsafeRawPointer?>
    private(set) var count = 0
    private var shift: UInt64

    init(capacity: Int = 0) {
        var size = 8
        while size * 4 < capacity * 5 { size *= 2 }
        cells = ContiguousArray(repeating: nil, count: size)
        shift = UInt64(64 - size.trailingZeroBitCount)
    }

    /// Returns the row with a key, which is valid while the table's owner retains it.
    func find(_ key: Int64) -> Row? {
        cells[cell(of: key)].map { Row(borrowing: $0) }
    }

    /// Inserts a row, and replaces one with its key.
    mutating func insert(_ row: Row) {
        if (count + 1) * 5 > cells.count * 4 { grow() }
        let cell = cell(of: row.key)
        if cells[cell] == nil { count += 1 }
        cells[cell] = row.unsafeWords
    }

    /// Removes a row, unless another row with its key has replaced it.
    mutating func remove(_ row: Row) {
        var empty = cell(of: row.key)
        guard cells[empty] == row.unsafeWords else { return }
        count -= 1
        // Rows that were displaced by the removed one move up.
        var next = empty
        while true {
            next = (next + 1) & (cells.count - 1)
            guard let words = cells[next] else { break }
            let home = home(of: Row.key(words))
            let distance = (next - home) & (cells.count - 1)
            if distance >= (next - empty) & (cells.count - 1) {
                cells[empty] = words
                empty = next
            }
        }
        cells[empty] = nil
    }

    private mutating func grow() {
        let old = cells
        cells = ContiguousArray(repeating: nil, count: old.count * 2)
        shift -= 1
        for case let words? in old { cells[cell(of: Row.key(words))] = words }
    }

    private func home(of key: Int64) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }

    /// Returns the cell of a key: the cell of its row, or the empty cell for it.
    private func cell(of key: Int64) -> Int {
        var cell = home(of: key)
        while let words = cells[cell], Row.key(words) != key {
            cell = (cell + 1) & (cells.count - 1)
        }
        return cell
    }
}

extension Row {
    /// Creates a row for an address, valid while its block is retained elsewhere.
    ///
    /// Counting references for each compared row would fetch its block from memory.
    @inline(__always) init(borrowing words: UnsafeRawPointer) {
        self.init(Self.anyBlock, unsafeWords: words)
    }

    /// A row needs a block; any block serves.
    private static let anyBlock = RowBatch.empty.storage
}
