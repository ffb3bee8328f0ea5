import DuramenModel
import DuramenQuery

/// The keys of a table from `lower` up to, not including, `upper`.
struct KeyRange {
    var lower: [UInt8]
    var upper: [UInt8]

    /// Creates the range of all keys with a prefix.
    init(prefix: [UInt8]) {
        lower = prefix
        upper = Self.end(of: prefix)
    }

    var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }

    /// The first bytes after all keys with a prefix. They exist, because prefixes begin with a
    /// number.
    static func end(of prefix: [UInt8]) -> [UInt8] {
        var end = prefix
        while let last = end.popLast() {
            if last < 0xFF {
                end.append(last + 1)
                return end
            }
        }
        return [UInt8](repeating: 0xFF, count: KeyBuilder.engineLimit)
    }
}

/// Converts conditions on the properties of an index to ranges of its keys.
///
/// The ranges contain all rows that meet the conditions, and maybe others: every row is checked
/// again.
struct RangeBuilder: ~Copyable {
    private var key = KeyBuilder()
    private let conditions: QueryConditions
    private let index: StoreIndex
    private let number: UInt32

    init(_ conditions: QueryConditions, _ index: StoreIndex, number: UInt32) {
        self.conditions = conditions
        self.index = index
        self.number = number
    }

    /// Returns the ranges, ascending and disjoint, and the number of properties that they use.
    mutating func ranges() -> (ranges: [KeyRange], usedParts: Int) {
        key.begin(number)
        var prefix = Array(key.bytes)
        for (place, part) in index.parts.enumerated() {
            // A full key contains no further properties.
            if prefix.count == KeyBuilder.valueLimit { return ([KeyRange(prefix: prefix)], place) }
            let conditions = conditions[part]
            var fixed: [UInt8]?
            for case .equal(let value) in conditions where fixed == nil {
                fixed = encode(value, part, behind: prefix)?.bytes
            }
            if let fixed {
                prefix = fixed
                continue
            }
            for case .oneOf(let values) in conditions {
                if let ranges = list(values, part, behind: prefix) { return (ranges, place + 1) }
            }
            guard let range = range(conditions, part, behind: prefix) else {
                return ([KeyRange(prefix: prefix)], place)
            }
            return (range.isEmpty ? [] : [range], place + 1)
        }
        return ([KeyRange(prefix: prefix)], index.parts.count)
    }

    /// The bytes of a value after others; nil if the value has no position in the property's order.
    private mutating func encode(
        _ value: StoredValue, _ part: StoreIndex.Part, behind prefix: [UInt8]
    ) -> (bytes: [UInt8], isCut: Bool)? {
        key.begin(bytes: prefix)
        guard key.append(value, as: part.kind) else { return nil }
        return (Array(key.bytes), key.isCut)
    }

    private mutating func list(
        _ values: [StoredValue], _ part: StoreIndex.Part, behind prefix: [UInt8]
    ) -> [KeyRange]? {
        var prefixes: [[UInt8]] = []
        for value in values {
            guard let encoded = encode(value, part, behind: prefix) else { return nil }
            prefixes.append(encoded.bytes)
        }
        prefixes.sort { $0.lexicographicallyPrecedes($1) }
        var ranges: [KeyRange] = []
        for prefix in prefixes where ranges.last?.lower != prefix {
            ranges.append(KeyRange(prefix: prefix))
        }
        return ranges
    }

    private mutating func range(
        _ conditions: [QueryConditions.Condition], _ part: StoreIndex.Part, behind prefix: [UInt8]
    ) -> KeyRange? {
        // Values come after null.
        var range = KeyRange(prefix: prefix + [1])
        var isUsed = false
        for condition in conditions {
            switch condition {
            case .atLeast(let value, let isIncluded):
                guard let found = encode(value, part, behind: prefix) else { continue }
                let lower =
                    isIncluded || found.isCut ? found.bytes : KeyRange.end(of: found.bytes)
                if range.lower.lexicographicallyPrecedes(lower) { range.lower = lower }
            case .atMost(let value, let isIncluded):
                guard let found = encode(value, part, behind: prefix) else { continue }
                let upper =
                    isIncluded || found.isCut ? KeyRange.end(of: found.bytes) : found.bytes
                if upper.lexicographicallyPrecedes(range.upper) { range.upper = upper }
            case .begins(let text):
                guard part.kind == .text || part.kind == .uri else { continue }
                key.begin(bytes: prefix)
                key.beginValue()
                text.withUTF8 { key.append(escaping: $0, isPrefix: true) }
                let begins = KeyRange(prefix: Array(key.bytes))
                if range.lower.lexicographicallyPrecedes(begins.lower) {
                    range.lower = begins.lower
                }
                if begins.upper.lexicographicallyPrecedes(range.upper) {
                    range.upper = begins.upper
                }
            case .equal, .oneOf: continue
            }
            isUsed = true
        }
        return isUsed ? range : nil
    }
}
