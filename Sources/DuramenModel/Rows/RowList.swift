/// Rows that live in several blocks, such as those of a save.
///
/// Each ``Row`` keeps its block, and is a reference to be counted wherever many rows are put
/// together, passed on and dropped. A list counts a block once for all rows that follow each other
/// in it. A row that was taken out may keep its block until the list is gone.
// Sound: the rows' bytes no longer change, and `blocks` keeps them.
public struct RowList: @unchecked Sendable {
    @usableFromInline struct Place {
        @usableFromInline let words: UnsafeRawPointer
        // Sound: `blocks` keeps it, and `words` points into it.
        @usableFromInline let block: Unmanaged<RowStorage>

        // Sound: as above.
        @inlinable init(words: UnsafeRawPointer, block: Unmanaged<RowStorage>) {
            self.words = words
            self.block = block
        }
    }

    @usableFromInline var places = ContiguousArray<Place>()
    @usableFromInline var blocks = ContiguousArray<RowStorage>()

    /// Makes a list without rows.
    @inlinable public init() {}

    /// Adds a row by its block and the address of its first slot, without counting a reference for
    /// each.
    // Sound: as above.
    @inlinable @inline(__always)
    package mutating func append(_ words: UnsafeRawPointer, in block: Unmanaged<RowStorage>) {
        if places.last?.block.toOpaque() != block.toOpaque() {
            blocks.append(block.takeUnretainedValue())
        }
        places.append(Place(words: words, block: block))
    }

    /// The key of a row. It costs less than the row's own, which counts a reference.
    @inlinable @inline(__always)
    public func key(at index: Int) -> Int64 { Row.key(places[index].words) }

    /// The index of a row's entity in the model. It costs less than the row's own, which counts a
    /// reference.
    @inlinable @inline(__always)
    public func entityIndex(at index: Int) -> Int { Row.entityIndex(places[index].words) }

    /// Calls a closure with a row, without counting a reference.
    ///
    /// - Parameter body: Must not let the row escape.
    @inlinable @inline(__always)
    public func withRow<Result>(at index: Int, _ body: (Row) -> Result) -> Result {
        let place = places[index]
        // Sound: the list keeps the block.
        return place.block._withUnsafeGuaranteedRef {
            body(Row(storage: $0, words: place.words))
        }
    }
}

extension RowList: RandomAccessCollection, MutableCollection {
    /// The place of the first row.
    @inlinable public var startIndex: Int { 0 }
    /// The place after the last row.
    @inlinable public var endIndex: Int { places.count }

    /// The row at a place.
    @inlinable public subscript(index: Int) -> Row {
        get {
            let place = places[index]
            return Row(storage: place.block.takeUnretainedValue(), words: place.words)
        }
        set {
            if blocks.last !== newValue.storage { blocks.append(newValue.storage) }
            places[index] = Place(
                words: newValue.words, block: .passUnretained(newValue.storage))
        }
    }
}

extension RowList: RangeReplaceableCollection, ExpressibleByArrayLiteral {
    /// Makes a list of rows.
    public init(arrayLiteral rows: Row...) { self.init(rows) }

    /// Adds a row at the end.
    @inlinable public mutating func append(_ row: Row) {
        append(row.words, in: .passUnretained(row.storage))
    }

    /// Makes room for rows.
    public mutating func reserveCapacity(_ count: Int) { places.reserveCapacity(count) }

    /// Puts rows in the place of others.
    ///
    /// - Complexity: O(*n*) for the rows of the list and the new ones.
    public mutating func replaceSubrange(_ range: Range<Int>, with rows: some Collection<Row>) {
        var result = RowList()
        result.reserveCapacity(count - range.count + rows.count)
        for row in self[..<range.lowerBound] { result.append(row) }
        for row in rows { result.append(row) }
        for row in self[range.upperBound...] { result.append(row) }
        self = result
    }
}
