import DuramenModel

/// The source of keys for a context's new objects: counted down, and reserved in growing blocks.
struct TemporaryKeys {
    private var last: Int64 = 0
    private var first: Int64 = 1
    private var nextCount: Int64 = 1

    /// Returns a key that no other object in this process has.
    @inline(__always) mutating func next() -> Int64 {
        if last < first { reserve() }
        defer { last &-= 1 }
        return last
    }

    @inline(never) private mutating func reserve() {
        let keys = ManagedObjectID.reserveTemporaryKeys(nextCount)
        (first, last) = (keys.lowerBound, keys.upperBound)
        nextCount = min(nextCount * 2, 64)
    }
}
