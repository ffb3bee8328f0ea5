import DuramenFileStore
import DuramenModel
import DuramenStore

/// A row as the value of its key: a head of eight bytes, then the packed row, so that reading it is
/// one copy.
///
/// ```
///   0  CRC32C of all that follows
///   4  version of the schema that the row was written with
///   6  number of slots
///   8  the packed row, see PackedRow in DuramenModel; it contains its own key
/// ```
enum RowRecord {
    static let headBytes = 8

    /// The number of bytes of a row's record.
    @inline(__always) static func byteCount(_ row: Row, _ layout: RowLayout) -> Int {
        headBytes + row.packedByteCount(layout: layout)
    }

    /// Writes a record into memory of its size.
    @inline(__always) static func write(
        _ row: Row, _ layout: RowLayout, version: RowVersion, schema: UInt16,
        to memory: UnsafeMutableRawBufferPointer
    ) {
        guard let start = memory.baseAddress else { return }
        start.storeBytes(of: schema, toByteOffset: 4, as: UInt16.self)
        start.storeBytes(of: UInt16(layout.slotCount), toByteOffset: 6, as: UInt16.self)
        row.writePacked(
            layout: layout, version: version,
            to: UnsafeMutableRawBufferPointer(rebasing: memory[headBytes...]))
        let sum = Checksum.of(
            UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[4...]))
        start.storeBytes(of: sum, as: UInt32.self)
    }

    /// The information in a record before its values.
    struct Head {
        var schema: UInt16
        var packed: UnsafeRawBufferPointer
        var row: PackedRow
    }

    /// Decodes a record's head and checks its bytes; nil if they are damaged.
    @inline(__always) static func head(
        _ record: UnsafeRawBufferPointer, key: Int64
    ) -> Head? {
        guard record.count >= headBytes + PackedRow.smallestByteCount else { return nil }
        let sum = record.loadUnaligned(as: UInt32.self)
        if Checksum.of(UnsafeRawBufferPointer(rebasing: record[4...])) != sum { return nil }
        let packed = UnsafeRawBufferPointer(rebasing: record[headBytes...])
        guard
            let row = PackedRow(
                packed,
                slotCount: Int(record.loadUnaligned(fromByteOffset: 6, as: UInt16.self))),
            row.key == key
        else { return nil }
        return Head(
            schema: record.loadUnaligned(fromByteOffset: 4, as: UInt16.self), packed: packed,
            row: row)
    }
}
