/// Up to 64 rows that are looked at together where they stand, in memory that a store keeps.
///
/// A store whose engine hands out its own memory judges rows there, and copies only those that it
/// keeps:
/// ```swift
/// rows.removeAll()
/// while rows.count < BorrowedRows.capacity, let row = nextPackedRow() { rows.append(row) }
/// let results = try predicate.matches(rows, in: source)
/// ```
/// The rows are valid as long as the memory that they stand in: take none of them out of the
/// transaction. The list is made once and filled again and again, so that taking a row in counts no
/// references.
public struct BorrowedRows {
    /// The most rows that a list has.
    public static let capacity = 64

    /// The number of rows.
    @usableFromInline var rowCount = 0
    // As many as there ever were; those from `rowCount` on are of an earlier filling.
    @usableFromInline var rows: ContiguousArray<Row> = []
    // Nil for rows that were converted.
    @usableFromInline var packed: ContiguousArray<PackedRow?> = []
    // Every row keeps a block, and nobody asks a borrowed one for it. One for each list, so that
    // threads count no references to the same block.
    @usableFromInline let block = RowStorage(capacity: 8)

    /// Makes an empty list.
    public init() {}

    /// The number of rows.
    @inlinable public var count: Int { rowCount }

    /// All rows: bit *i* is row *i*.
    @inlinable public var all: UInt64 {
        rowCount == 0 ? 0 : .max >> UInt64(truncatingIfNeeded: Self.capacity - rowCount)
    }

    /// The row at a place, valid as long as the memory that it stands in.
    @inlinable public subscript(place: Int) -> Row { rows[place] }

    /// The bytes of a row at a place, to be copied as they are; nil for a row that was converted.
    @inlinable public func packed(at place: Int) -> PackedRow? { packed[place] }

    /// The rows, and behind them maybe others that are not to be looked at.
    package var places: ContiguousArray<Row> { rows }

    /// Removes all rows.
    @inlinable public mutating func removeAll() { rowCount = 0 }

    /// Takes a row in where it stands.
    ///
    /// - Precondition: ``PackedRow/fits(_:)`` said that it fits the layout of its entity, and
    ///   there are fewer than ``capacity`` rows.
    @inlinable @inline(__always)
    public mutating func append(_ row: PackedRow) {
        guard let start = row.bytes.baseAddress else { return }
        // Sound: the row fits its layout, so what its words name is in `row.bytes`.
        let words = start + row.headerBytes
        if rowCount < rows.count, packed[rowCount] != nil {
            // The block is the same.
            rows[rowCount].words = words
            packed[rowCount] = row
        } else {
            set(Row(storage: block, words: words), row)
        }
        rowCount &+= 1
    }

    /// Leaves a place for a row that is converted meanwhile; see ``fillPlaces(with:)``.
    public mutating func reservePlace() {
        set(Row(storage: block, words: block.memory), nil)
        rowCount += 1
    }

    /// Gives the places that were left their rows, in order.
    ///
    /// - Precondition: There is a row for each place.
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
