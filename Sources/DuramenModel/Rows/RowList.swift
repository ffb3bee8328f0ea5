/// A list of rows in several blocks, such as the rows of a save.
///
/// Each ``Row`` retains its block, so copying many rows counts many references. A list counts a
/// block once for all consecutive rows in it. A block may live until the list is freed, even if its
/// rows were removed.
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

    /// Creates an empty list.
    @inlinable public init() {}

    /// Adds a row by its block and the address of its first slot, without counting a reference for
    /// each row.
    // Sound: as above.
    @inlinable @inline(__always)
    package mutating func append(_ words: UnsafeRawPointer, in block: Unmanaged<RowStorage>) {
        if places.last?.block.toOpaque() != block.toOpaque() {
            blocks.append(block.takeUnretainedValue())
        }
        places.append(Place(words: words, block: block))
    }

    /// Returns the key of a row. It is cheaper than the row's own, which counts a reference.
    @inlinable @inline(__always)
    public func key(at index: Int) -> Int64 { Row.key(places[index].words) }

    /// Returns the entity index of a row. It is cheaper than the row's own, which counts a
    /// reference.
    @inlinable @inline(__always)
    public func entityIndex(at index: Int) -> Int { Row.entityIndex(places[index].words) }

    /// Calls a closure with a row, without counting a reference.
    ///
    /// - Parameters:
    ///   - index: The index of the row.
    ///   - body: A closure that must not let the row escape.
    /// - Returns: The closure's result.
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
    /// The index of the first row.
    @inlinable public var startIndex: Int { 0 }
    /// The index after the last row.
    @inlinable public var endIndex: Int { places.count }

    /// Accesses the row at an index.
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
    /// Creates a list of rows.
    public init(arrayLiteral rows: Row...) { self.init(rows) }

    /// Adds a row at the end.
    @inlinable public mutating func append(_ row: Row) {
        append(row.words, in: .passUnretained(row.storage))
    }

    /// Reserves memory for rows.
    public mutating func reserveCapacity(_ count: Int) { places.reserveCapacity(count) }

    /// Replaces a range of rows with others.
    ///
    /// - Complexity: O(*n*) in the number of rows of the list and of new rows.
    public mutating func replaceSubrange(_ range: Range<Int>, with rows: some Collection<Row>) {
        var result = RowList()
        result.reserveCapacity(count - range.count + rows.count)
        for row in self[..<range.lowerBound] { result.append(row) }
        for row in rows { result.append(row) }
        for row in self[range.upperBound...] { result.append(row) }
        self = result
    }
}
