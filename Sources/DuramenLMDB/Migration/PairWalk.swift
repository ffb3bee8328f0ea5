import DuramenFileStore
import DuramenStore

/// Iterates over the pairs of one direction of a many-to-many.
struct PairWalk {
    let transaction: Transaction
    let edges: Table

    /// - Parameters:
    ///   - number: The number of the direction.
    ///   - body: Receives the source, the destination and the order number.
    func forEachPair(
        of number: UInt32, _ body: (Int64, Int64, Int64?) -> Void
    ) throws(StoreError) {
        var prefix = KeyBuilder()
        prefix.begin(number)
        let start = Array(prefix.bytes)
        let cursor = try transaction.cursor(edges)
        var record = try start.withBytes { (start) throws(StoreError) in try cursor.seek(start) }
        while let found = record, found.key.starts(with: start), found.key.count >= 20 {
            body(
                Self.key(found.key, 4), Self.key(found.key, 12), PairNumber.read(found.value))
            record = try cursor.next()
        }
    }

    private static func key(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int64 {
        Int64(
            bitPattern: UInt64(
                bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
}
