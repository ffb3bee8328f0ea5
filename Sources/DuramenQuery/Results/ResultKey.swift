import DuramenModel
import Foundation

/// The values of a group or a distinct result, for comparison. Keys are equal if each pair of
/// values is equal; null equals null.
struct ResultKey: Hashable {
    let values: [StoredValue]

    static func == (a: ResultKey, b: ResultKey) -> Bool {
        guard a.values.count == b.values.count else { return false }
        for (x, y) in zip(a.values, b.values) where !StoredValue.isSameResult(x, y) { return false }
        return true
    }

    func hash(into hasher: inout Hasher) {
        for value in values { value.hashResult(into: &hasher) }
    }
}

extension StoredValue {
    fileprivate static func isSameResult(_ a: StoredValue, _ b: StoredValue) -> Bool {
        if a.isNull || b.isNull { return a.isNull && b.isNull }
        return order(a, b) == 0
    }

    /// Hashes equal values equally.
    fileprivate func hashResult(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        // Equal numbers of different types have equal doubles.
        case .integer, .double, .decimal, .boolean: hasher.combine(Number(self)?.double)
        case .text(let text), .uri(let text): hasher.combine(text)
        case .date(let date): hasher.combine(date)
        case .binary(let data): hasher.combine(data)
        case .uuid(let uuid): hasher.combine(uuid)
        case .objectID(let id): hasher.combine(id)
        }
    }

    /// Returns the order of values in results. Null comes first; values that cannot be compared are
    /// ordered by their kinds.
    static func resultOrder(_ a: StoredValue, _ b: StoredValue) -> Int {
        if let order = order(a, b) { return order }
        return formOrder(a, b)
    }

    /// Returns an order in which values of different forms differ.
    static func formOrder(_ a: StoredValue, _ b: StoredValue) -> Int {
        if precedes(a, b) { return -1 }
        return precedes(b, a) ? 1 : 0
    }
}

extension [StoredValue] {
    /// Returns an order of lists of equal length, in which values of different forms differ.
    static func formOrder(_ a: [StoredValue], _ b: [StoredValue]) -> Int {
        for (x, y) in zip(a, b) {
            let order = StoredValue.formOrder(x, y)
            if order != 0 { return order }
        }
        return 0
    }
}
