/// The keys that a batch has allocated. Other writers may have allocated keys between them, or
/// later ones.
struct BatchKeys {
    /// Keys for the next rows.
    var unused: Range<Int64> = 0..<0
    private var ranges: [Range<Int64>] = []

    /// Adds keys, all of which are unused.
    mutating func add(_ range: Range<Int64>) {
        unused = range
        if let last = ranges.last, last.upperBound == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }

    func contains(_ key: Int64) -> Bool { ranges.contains { $0.contains(key) } }
}
