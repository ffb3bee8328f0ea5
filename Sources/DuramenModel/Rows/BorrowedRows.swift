/// A list of up to 64 rows that are evaluated in place, in memory that belongs to a store.
///
/// A store whose engine gives access to its memory evaluates rows there, and copies only the rows
/// that it keeps:
/// ```swift
/// rows.removeAll()
/// while rows.count < BorrowedRows.capacity, let row = nextPackedRow() { rows.append(row) }
/// let results = try predicate.matches(rows, in: source)
/// ```
/// The rows are valid as long as their memory: do not use a row outside of the transaction. Fill
/// one list again and again, so that appending a row counts no references.
public struct BorrowedRows {
    /// The maximum number of rows.
    public static let capacity = 64

    /// The number of rows.
    @usableFromInline var rowCount = 0
    // As many rows as there ever were; rows from `rowCount` on belong to an earlier filling.
    @usableFromInline var rows: ContiguousArray<Row> = []
    // Nil for rows that were converted.
    @usableFromInline var packed: ContiguousArray<PackedRow?> = []
    // Every row has a block, but a borrowed row's block is never used. Each list has its own, so
    // that threads do not count references to one block.
    @usableFromInline let block = RowStorage(capacity: 8)

    /// Creates an empty list.
    public init() {}

    /// The number of rows.
    @inlinable public var count: Int { rowCount }

    /// The bits of all rows: bit *i* is row *i*.
    @inlinable public var all: UInt64 {
        rowCount == 0 ? 0 : .max >> UInt64(truncatingIfNeeded: Self.capacity - rowCount)
    }

    /// Returns the row at an index. It is valid as long as its memory.
    @inlinable public subscript(place: Int) -> Row { rows[place] }

    /// Returns the packed bytes of the row at an index, to be copied; nil for a row that was
    /// converted.
    @inlinable public func packed(at place: Int) -> PackedRow? { packed[place] }

    /// The rows, possibly followed by rows of an earlier filling, which must not be used.
    package var places: ContiguousArray<Row> { rows }

    /// Removes all rows.
    @inlinable public mutating func removeAll() { rowCount = 0 }

    /// Adds a row without copying it.
    ///
    /// - Precondition: ``PackedRow/fits(_:)`` returned true for the layout of the row's entity, and
    ///   there are fewer than ``capacity`` rows.
    @inlinable @inline(__always)
    public mutating func append(_ row: PackedRow) {
        guard let start = row.bytes.baseAddress else { return }
        // Sound: the row fits its layout, so what its words name is in `row.bytes`.
        let words = start + row.headerBytes
        if rowCount < rows.count, packed[rowCount] != nil {
            // The block is the list's in both cases.
            rows[rowCount].words = words
            packed[rowCount] = row
        } else {
            set(Row(storage: block, words: words), row)
        }
        rowCount &+= 1
    }

    /// Reserves a place for a row that is being converted; see ``fillPlaces(with:)``.
    public mutating func reservePlace() {
        set(Row(storage: block, words: block.memory), nil)
        rowCount += 1
    }

    /// Sets the rows of all reserved places, in order.
    ///
    /// - Precondition: The batch has a row for each place.
    public mutating func fillPlaces(with batch: RowBatch) {
        var next = 0
        for place in 0..<rowCount where packed[place] == nil {
            rows[place] = batch[next]
            next += 1
        }
    }

    @usableFromInline mutating func set(_ row: Row, _ packedRow: PackedRow?) {
        if rowCount < rows.count {
            rows[rowCount] = row
            packed[rowCount] = packedRow
        } else {
            rows.append(row)
            packed.append(packedRow)
        }
    }
}
