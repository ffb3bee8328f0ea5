/// The permanent keys that temporary ones were replaced by: those of the last objects, and of those
/// that somebody holds.
///
/// Temporary keys are counted down, so neighbours share a page, and the last page is remembered.
struct PermanentKeys {
    /// Where each page begins in ``keys``.
    private var indexes: [Int64: Int] = [:]
    // All pages one after the other, 64 keys each.
    private var keys = ContiguousArray<Int64>()
    private var nextLimit = Self.limit
    // The last indexes found, by the low bits of the page's number; none before there is a key.
    private var recent = ContiguousArray<(number: Int64, index: Int)>()

    /// Whether no key was replaced yet.
    var isEmpty: Bool { keys.isEmpty }

    /// The permanent key of a temporary one; nil when there is none yet.
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

    /// Makes room for about so many keys, so that they need not move while they are set.
    mutating func reserve(_ count: Int) {
        // Small saves follow each other, and an exact size would have each move what is there.
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

    /// How many keys may be kept before the oldest are forgotten.
    static let limit = 1 << 18

    /// Whether so many keys are kept that the oldest should be forgotten.
    var isOverfull: Bool { keys.count >= nextLimit }

    /// Forgets the older half of the keys, but for pages in which a key is still needed.
    mutating func forgetOldest(unless isNeeded: (Int64) -> Bool) {
        // Numbers of pages fall as time goes by.
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
        // What cannot be forgotten is not to be looked through at every save.
        kept.nextLimit = max(Self.limit, kept.keys.count * 2)
        self = kept
    }

    mutating func removeAll() { self = PermanentKeys() }
}
