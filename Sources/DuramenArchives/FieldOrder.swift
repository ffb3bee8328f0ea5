/// Computes the order in which Apple's archiver writes the fields of an object.
///
/// The archiver keeps the fields in a hash table and writes the table from front to back. The hash
/// function is that of `CFString` in Apple's published CoreFoundation. The sizes and capacities of
/// tables are those of its `CFBasicHash`. All 59 different lists of fields in our 127 sample
/// archives have the resulting order, except that of the outermost dictionary, which is written
/// first.
enum FieldOrder {
    /// The sizes of tables, with the number of fields that fill them.
    private static let tables = [
        (size: 3, capacity: 3), (size: 7, capacity: 6), (size: 13, capacity: 11),
        (size: 23, capacity: 19), (size: 41, capacity: 32), (size: 71, capacity: 52),
        (size: 127, capacity: 85), (size: 191, capacity: 118), (size: 251, capacity: 155),
        (size: 383, capacity: 237), (size: 631, capacity: 390), (size: 1087, capacity: 672),
        (size: 1723, capacity: 1065),
    ]

    /// Returns the indices of names in the order of the table.
    ///
    /// - Parameter names: Different names, in the order of encoding.
    /// - Complexity: O(*n*) in the length of the names. If there are more names than the largest
    ///   table can have, they keep the order of encoding, which none of our sample archives
    ///   contradicts.
    static func places(of names: [String]) -> [Int] {
        let hashes = names.map(hash)
        var level = 0
        var table = [Int?](repeating: nil, count: tables[0].size)
        for place in names.indices {
            if place == tables[level].capacity {
                level += 1
                guard level < tables.count else { return Array(names.indices) }
                let old = table
                table = Array(repeating: nil, count: tables[level].size)
                for case let place? in old { insert(place, hashes, into: &table) }
            }
            insert(place, hashes, into: &table)
        }
        return table.compactMap { $0 }
    }

    private static func insert(_ place: Int, _ hashes: [UInt64], into table: inout [Int?]) {
        var index = Int(hashes[place] % UInt64(table.count))
        while table[index] != nil { index = (index + 1) % table.count }
        table[index] = place
    }

    /// Returns the hash of a text of at most 96 characters. Longer texts are also hashed as a
    /// whole; none of our samples has a field with such a name.
    private static func hash(_ text: String) -> UInt64 {
        let units = Array(text.utf16)
        var result = UInt64(units.count)
        var place = 0
        while place + 4 <= units.count {
            result =
                result &* 67_503_105 &+ UInt64(units[place]) &* 16_974_593
                &+ UInt64(units[place + 1]) &* 66049 &+ UInt64(units[place + 2]) &* 257
                &+ UInt64(units[place + 3])
            place += 4
        }
        for unit in units[place...] { result = result &* 257 &+ UInt64(unit) }
        return result &+ (result << UInt64(units.count & 31))
    }
}
