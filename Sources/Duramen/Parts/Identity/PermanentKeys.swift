/// The permanent keys by temporary key, for the newest objects and for registered ones.
///
/// Temporary keys are counted down, so neighbours share a page, and recent pages are remembered.
struct PermanentKeys {
    /// The start of each page in ``keys``.
    private var indexes: [Int64: Int] = [:]
    // All pages in sequence, 64 keys each.
    private var keys = ContiguousArray<Int64>()
    private var nextLimit = Self.limit
    // The last pages found, by the low bits of the page number; empty while there are no keys.
    private var recent = ContiguousArray<(number: Int64, index: Int)>()

    /// Whether no key was replaced yet.
    var isEmpty: Bool { keys.isEmpty }

    /// Returns the permanent key of a temporary one; nil if there is none yet.
    subscript(temporary: Int64) -> Int64? {
        mutating get {
            guard let index = index(of: temporary >> 6) else { return nil }
            let key = keys[index &+ Int(temporary & 63)]
            return key == 0 ? nil : key
        }
    }

    private mutating func index(of number: Int64) -> Int? {
        if recent.isEmpty { return nil }
        let slot = Int(number & 63)
        if recent[slot].number == number { return recent[slot].index }
        guard let index = indexes[number] else { return nil }
        recent[slot] = (number, index)
        return index
    }

    /// Reserves storage for about a number of keys, so that they need not move while they are set.
    mutating func reserve(_ count: Int) {
        // For consecutive small saves, an exact size would move all keys each time.
        if count >= 1_024 { keys.reserveCapacity(keys.count + count + 64) }
    }

    mutating func set(_ permanent: Int64, for temporary: Int64) {
        let number = temporary >> 6
        if let known = index(of: number) {
            keys[known &+ Int(temporary & 63)] = permanent
            return
        }
        let index = keys.count
        if recent.isEmpty { recent = ContiguousArray(repeating: (.min, 0), count: 64) }
        indexes[number] = index
        keys.append(contentsOf: repeatElement(0, count: 64))
        keys[index + Int(temporary & 63)] = permanent
    }

    /// The number of keys beyond which the oldest are dropped.
    static let limit = 1 << 18

    /// Whether so many keys are kept that the oldest should be dropped.
    var isOverfull: Bool { keys.count >= nextLimit }

    /// Drops the older half of the keys, except pages with a key that is needed.
    mutating func forgetOldest(unless isNeeded: (Int64) -> Bool) {
        // Page numbers decrease over time.
        let numbers = indexes.keys.sorted()
        var kept = PermanentKeys()
        for (age, number) in numbers.enumerated() {
            guard let index = indexes[number] else { continue }
            let page = keys[index..<index + 64]
            if age >= numbers.count / 2, !page.contains(where: { $0 != 0 && isNeeded($0) }) {
                continue
            }
            kept.indexes[number] = kept.keys.count
            kept.keys += page
        }
        kept.recent = ContiguousArray(repeating: (.min, 0), count: recent.count)
        // Avoids searching keys that cannot be dropped at every save.
        kept.nextLimit = max(Self.limit, kept.keys.count * 2)
        self = kept
    }

    mutating func removeAll() { self = PermanentKeys() }
}
