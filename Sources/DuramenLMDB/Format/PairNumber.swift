import DuramenFileStore
import DuramenStore

/// The number of a pair in the order of one direction, stored as the value of the pair's record.
///
/// ```
///   checksum of key and number (4)  number (8)
/// ```
/// A pair without a number has the checksum of its key alone.
enum PairNumber {
    /// Sets the number of an existing pair.
    static func put(
        _ number: Int64, for key: UnsafeRawBufferPointer, in table: Table,
        _ transaction: Transaction
    ) throws(StoreError) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 12, alignment: 8)
        defer { memory.deallocate() }
        memory.storeBytes(of: number.littleEndian, toByteOffset: 4, as: Int64.self)
        let payload = UnsafeRawBufferPointer(rebasing: memory[4...])
        memory.storeBytes(of: Checksum.of(key, then: payload), as: UInt32.self)
        try transaction.put(UnsafeRawBufferPointer(memory), for: key, in: table)
    }

    /// Returns the number in a record's value; nil for none.
    static func read(_ value: UnsafeRawBufferPointer) -> Int64? {
        value.count == 12
            ? Int64(littleEndian: value.loadUnaligned(fromByteOffset: 4, as: Int64.self)) : nil
    }

    /// Whether the value of an entry is undamaged.
    @inline(__always) static func isSound(
        _ value: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
    ) -> Bool {
        if value.count == 4 {
            return value.loadUnaligned(as: UInt32.self) == Checksum.of(key)
        }
        return value.count == 12
            && value.loadUnaligned(as: UInt32.self)
                == Checksum.of(key, then: UnsafeRawBufferPointer(rebasing: value[4...]))
    }
}
