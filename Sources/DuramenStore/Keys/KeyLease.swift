/// Keys that a store has leased and not yet allocated.
public struct KeyLease: Sendable {
    /// The next key to allocate.
    public private(set) var next: Int64 = 1
    /// The first key after the lease.
    public private(set) var end: Int64 = 1
    private var size = 128

    /// Creates an empty lease.
    public init() {}

    /// Allocates keys; returns nil if too few are left.
    public mutating func take(_ count: Int) -> Range<Int64>? {
        guard Int64(count) <= end - next else { return nil }
        defer { next += Int64(count) }
        return next..<next + Int64(count)
    }

    /// Returns how many keys to lease in order to allocate `count` keys. Blocks grow, so that many
    /// single objects cost few writes.
    public mutating func nextSize(_ count: Int) -> Int {
        size = min(size * 2, 65_536)
        return max(size, count)
    }

    /// Continues the lease, or starts a new one if another user leased keys in between.
    public mutating func add(_ range: Range<Int64>) {
        if range.lowerBound != end { next = range.lowerBound }
        end = range.upperBound
    }

    /// Never allocates keys of the lease up to one that a save has brought along, as a conversion
    /// does.
    public mutating func skip(through key: Int64) {
        if key >= next { next = key < end ? key + 1 : end }
    }
}
