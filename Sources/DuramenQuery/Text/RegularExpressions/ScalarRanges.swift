/// A set of scalar values, as ascending ranges with gaps between them.
struct ScalarRanges: Sendable {
    let ranges: [ClosedRange<UInt32>]

    /// Creates the union of ranges.
    init(_ ranges: [ClosedRange<UInt32>]) {
        var united: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // No overflow: bounds are at most 0x10FFFF.
            if let last = united.last, range.lowerBound <= last.upperBound + 1 {
                united[united.count - 1] =
                    last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                united.append(range)
            }
        }
        self.ranges = united
    }

    var count: Int { ranges.reduce(0) { $0 + $1.count } }

    func contains(_ value: UInt32) -> Bool {
        let index = ranges.firstPlace { $0.upperBound >= value }
        return index < ranges.count && ranges[index].lowerBound <= value
    }
}

extension Array {
    /// Returns the first index from which all elements satisfy a condition; the count if there is
    /// none.
    func firstPlace(where isThere: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isThere(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
