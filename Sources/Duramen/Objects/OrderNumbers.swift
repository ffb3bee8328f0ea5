import DuramenModel

/// The numbers by which stores order an ordered to-many, spaced as in Core Data.
///
/// As few members as possible get new numbers, so that moving one object writes one row. Concurrent
/// moves and additions of two contexts are then combined.
enum OrderNumbers {
    private static let first: Int64 = 2_048
    private static let step: Int64 = 1_024

    /// Returns ascending numbers for the members of a list, by index.
    ///
    /// - Parameter known: The present numbers of the members; nil for none.
    /// - Complexity: O(*n* log *n*).
    static func assign(_ known: [Int64?]) -> [Int64] {
        var numbers = known
        // Numbers that already ascend are kept.
        var kept = risingPositions(known)[...]
        var index = 0
        var low: Int64?
        while index < numbers.count {
            if index == kept.first {
                kept.removeFirst()
                low = numbers[index]
                index += 1
                continue
            }
            let end = kept.first ?? numbers.count
            let high = kept.first.flatMap { numbers[$0] }
            guard let run = run(of: end - index, above: low, below: high) else {
                return (0..<Int64(known.count)).map { first + $0 * step }
            }
            for (offset, number) in run.enumerated() { numbers[index + offset] = number }
            low = run.last ?? low
            index = end
        }
        return numbers.map { $0 ?? first }
    }

    /// Returns ascending numbers between two others; nil if there is not enough room.
    private static func run(of count: Int, above low: Int64?, below high: Int64?) -> [Int64]? {
        let count = Int64(count)
        switch (low, high) {
        case (nil, nil): return (0..<count).map { first + $0 * step }
        case (let low?, nil):
            if low > .max - (count + 1) * step { return nil }
            return (1...count).map { low + $0 * step }
        case (nil, let high?):
            if high < .min + (count + 1) * step { return nil }
            return (1...count).reversed().map { high - $0 * step }
        case (let low?, let high?):
            let (distance, overflows) = high.subtractingReportingOverflow(low)
            if overflows || distance <= count { return nil }
            return (1...count).map {
                low + distance / (count + 1) * $0 + distance % (count + 1) * $0 / (count + 1)
            }
        }
    }

    /// Returns the indices of a longest increasing subsequence.
    private static func risingPositions(_ numbers: [Int64?]) -> [Int] {
        // By length: the index where the best subsequence of that length ends.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            guard let number else { continue }
            var bottom = 0
            var top = ends.count
            while bottom < top {
                let middle = (bottom + top) / 2
                if let other = numbers[ends[middle]], other < number {
                    bottom = middle + 1
                } else {
                    top = middle
                }
            }
            previous[index] = bottom > 0 ? ends[bottom - 1] : nil
            if bottom == ends.count { ends.append(index) } else { ends[bottom] = index }
        }
        var result: [Int] = []
        var index = ends.last
        while let current = index {
            result.append(current)
            index = previous[current]
        }
        return result.reversed()
    }

    /// Returns the indices of a longest subsequence of `list` that has the same order in `base`.
    static func unmovedPositions<Member: Hashable>(_ list: [Member], in base: [Member]) -> [Int] {
        var indexes: [Member: Int64] = [:]
        for (index, member) in base.enumerated() { indexes[member] = Int64(index) }
        return risingPositions(list.map { indexes[$0] })
    }
}
