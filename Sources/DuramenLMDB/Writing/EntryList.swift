import DuramenFileStore
import DuramenModel
import DuramenStore

/// Entries of one index or of the edges, to be added or removed in the order of their keys.
///
/// Neighbours in a table are then written one after the other, for less than half of the cost.
struct EntryList {
    private struct Place {
        /// The first eight bytes after the number.
        var rank: UInt64
        var start: Int
        var count: Int
        /// Whether the values must be unique, and are compared.
        var isUnique: Bool
        /// Whether the values were too long for the key.
        var isCut: Bool
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []

    var isEmpty: Bool { places.isEmpty }

    /// Adds a key.
    mutating func add(_ key: UnsafeRawBufferPointer, isUnique: Bool = false, isCut: Bool = false) {
        // Keys begin with a number of four bytes and end with a primary key of eight.
        let rank = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        places.append(
            Place(
                rank: rank, start: bytes.count, count: key.count, isUnique: isUnique, isCut: isCut))
        bytes.append(contentsOf: key)
    }

    private mutating func sort() {
        bytes.withUnsafeBytes { bytes in
            places.sort { a, b in
                if a.rank != b.rank { return a.rank < b.rank }
                return StoredText.compare(
                    UnsafeRawBufferPointer(rebasing: bytes[a.start..<a.start + a.count]),
                    UnsafeRawBufferPointer(rebasing: bytes[b.start..<b.start + b.count])) < 0
            }
        }
    }

    /// Removes all keys from a table.
    mutating func remove(
        from table: Table, _ transaction: Transaction
    ) throws(StoreError) {
        if isEmpty { return }
        sort()
        let places = places
        try bytes.withBytes { (bytes) throws(StoreError) in
            for place in places {
                try transaction.remove(
                    UnsafeRawBufferPointer(
                        rebasing: bytes[place.start..<place.start + place.count]),
                    from: table)
            }
        }
    }

    /// Adds all keys to a table, each with its checksum.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - transaction: The transaction.
    ///   - isTaken: Returns whether a value that must be unique is used by another row, whose key
    ///     has equal bytes before the primary key.
    /// - Returns: False when a value is used; then the rest is not added.
    mutating func insert(
        into table: Table, _ transaction: Transaction,
        isTaken: (_ key: Int64, _ other: Int64, _ isCut: Bool) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        if isEmpty { return true }
        sort()
        let places = places
        let path = transaction.environment.path
        let sum = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
        defer { sum.deallocate() }
        return try bytes.withBytes { (bytes) throws(StoreError) in
            let cursor = try transaction.cursor(table)
            for place in places {
                let key = UnsafeRawBufferPointer(
                    rebasing: bytes[place.start..<place.start + place.count])
                if place.isUnique {
                    let value = UnsafeRawBufferPointer(rebasing: key.dropLast(8))
                    var record = try cursor.seek(value)
                    while let found = record, found.key.count == key.count,
                        StoredText.compare(
                            UnsafeRawBufferPointer(rebasing: found.key.dropLast(8)), value) == 0
                    {
                        let other = try RowReading.primaryKey(found, path: path)
                        if try isTaken(Self.primaryKey(key), other, place.isCut) { return false }
                        record = place.isCut ? try cursor.next() : nil
                    }
                }
                sum.pointee = Checksum.of(key)
                try cursor.insert(UnsafeRawBufferPointer(start: sum, count: 4), for: key)
            }
            return true
        }
    }

    /// Whether the values of the keys that must be unique are distinct.
    ///
    /// - Parameter isTaken: As for ``insert(into:_:isTaken:)``.
    mutating func areUnique(
        isTaken: (_ key: Int64, _ other: Int64, _ isCut: Bool) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        sort()
        let places = places
        return try bytes.withBytes { (bytes) throws(StoreError) in
            // Of cut keys, all with equal bytes must be compared.
            var alike: [UnsafeRawBufferPointer] = []
            for place in places where place.isUnique {
                let key = UnsafeRawBufferPointer(
                    rebasing: bytes[place.start..<place.start + place.count])
                if let first = alike.first,
                    first.count != key.count || !first.dropLast(8).elementsEqual(key.dropLast(8))
                {
                    alike.removeAll(keepingCapacity: true)
                }
                for other in alike {
                    if try isTaken(Self.primaryKey(key), Self.primaryKey(other), place.isCut) {
                        return false
                    }
                }
                alike.append(key)
            }
            return true
        }
    }

    private static func primaryKey(_ key: UnsafeRawBufferPointer) -> Int64 {
        Int64(
            bitPattern: UInt64(
                bigEndian: key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self)))
    }
}
