/// Keys that a store leased for itself and has not handed out yet.
public struct KeyLease: Sendable {
    /// The next key to hand out.
    public private(set) var next: Int64 = 1
    /// The first key behind the lease.
    public private(set) var end: Int64 = 1
    private var size = 128

    /// An empty lease.
    public init() {}

    /// Hands keys out; nil when there are too few.
    public mutating func take(_ count: Int) -> Range<Int64>? {
        guard Int64(count) <= end - next else { return nil }
        defer { next += Int64(count) }
        return next..<next + Int64(count)
    }

    /// How many keys to lease so that `count` can be handed out: blocks grow, so that many single
    /// objects cost few writes.
    public mutating func nextSize(_ count: Int) -> Int {
        size = min(size * 2, 65_536)
        return max(size, count)
    }

    /// Continues the lease, or begins a new one when somebody else leased in between.
    public mutating func add(_ range: Range<Int64>) {
        if range.lowerBound != end { next = range.lowerBound }
        end = range.upperBound
    }
}
