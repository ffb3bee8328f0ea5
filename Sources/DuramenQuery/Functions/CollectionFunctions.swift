import DuramenModel

/// Computes the functions of collections, for values without nulls.
///
/// The results do not depend on the order in which a store returns the values.
enum CollectionFunctions {
    static func sum(_ values: [StoredValue]) -> StoredValue { NumberSum(values).value }

    static func average(_ values: [StoredValue]) -> StoredValue { NumberSum(values).average }

    static func median(_ values: [StoredValue]) -> StoredValue {
        let sorted = values.filter { Number($0) != nil }.sorted(by: StoredValue.precedes)
        guard !sorted.isEmpty else { return .null }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1
            ? sorted[middle] : average([sorted[middle - 1], sorted[middle]])
    }

    static func deviation(_ values: [StoredValue]) -> StoredValue {
        let numbers = values.compactMap { Number($0)?.double }.sorted()
        guard !numbers.isEmpty else { return .null }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let squares = numbers.map { ($0 - mean) * ($0 - mean) }.sorted()
        return Number.double((squares.reduce(0, +) / Double(numbers.count)).squareRoot()).value
    }

    static func mode(_ values: [StoredValue]) -> [StoredValue] {
        var groups: [(value: StoredValue, count: Int)] = []
        for value in values.sorted(by: StoredValue.precedes) {
            if let last = groups.last, StoredValue.order(last.value, value) == 0 {
                groups[groups.count - 1].count += 1
            } else {
                groups.append((value, 1))
            }
        }
        let most = groups.map(\.count).max() ?? 0
        return groups.filter { $0.count == most }.map(\.value)
    }

    /// Returns a union, intersection or difference of two collections as sets.
    static func combine(
        _ function: FetchFunction, _ a: [StoredValue], _ b: [StoredValue]
    ) -> [StoredValue] {
        if function == .union { return (a + b).distinct }
        let others = b.distinct
        return a.distinct.filter { value in
            let isThere = contains(others, value)
            return isThere == (function == .intersect)
        }
    }

    private static func contains(_ sorted: [StoredValue], _ value: StoredValue) -> Bool {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if StoredValue.order(sorted[middle], value) == 0 { return true }
            if StoredValue.precedes(sorted[middle], value) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return false
    }
}
