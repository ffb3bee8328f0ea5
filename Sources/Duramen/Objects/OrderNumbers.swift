import DuramenModel

/// The numbers by which stores keep the order of an ordered to-many, spaced as Core Data spaces
/// them.
///
/// As few members as possible get another number, so that moving one object writes one row, and
/// what two contexts move and add at the same time adds up.
enum OrderNumbers {
    private static let first: Int64 = 2_048
    private static let step: Int64 = 1_024

    /// Numbers for the members of a list, by their places, so that they rise.
    ///
    /// - Parameter known: The numbers that the members have; nil for none.
    /// - Complexity: O(*n* log *n*).
    static func assign(_ known: [Int64?]) -> [Int64] {
        var numbers = known
        // Those that rise already keep theirs.
        var kept = risingPlaces(known)[...]
        var place = 0
        var low: Int64?
        while place < numbers.count {
            if place == kept.first {
                kept.removeFirst()
                low = numbers[place]
                place += 1
                continue
            }
            let end = kept.first ?? numbers.count
            let high = kept.first.flatMap { numbers[$0] }
            guard let run = run(of: end - place, above: low, below: high) else {
                return (0..<Int64(known.count)).map { first + $0 * step }
            }
            for (offset, number) in run.enumerated() { numbers[place + offset] = number }
            low = run.last ?? low
            place = end
        }
        return numbers.map { $0 ?? first }
    }

    /// Rising numbers between two others; nil when there is no room.
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

    /// The places of a longest list of numbers that rise.
    private static func risingPlaces(_ numbers: [Int64?]) -> [Int] {
        // By length: the place where the best list of that length ends.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for (place, number) in numbers.enumerated() {
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
            previous[place] = bottom > 0 ? ends[bottom - 1] : nil
            if bottom == ends.count { ends.append(place) } else { ends[bottom] = place }
        }
        var result: [Int] = []
        var place = ends.last
        while let current = place {
            result.append(current)
            place = previous[current]
        }
        return result.reversed()
    }

    /// The places of a longest list of members of `list` that follow each other in `base` too.
    static func unmovedPlaces<Member: Hashable>(_ list: [Member], in base: [Member]) -> [Int] {
        var places: [Member: Int64] = [:]
        for (place, member) in base.enumerated() { places[member] = Int64(place) }
        return risingPlaces(list.map { places[$0] })
    }
}
