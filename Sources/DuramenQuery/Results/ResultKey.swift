import DuramenModel
import Foundation

/// Values that groups and distinct results are told apart by: equal where the law of stores calls
/// each pair equal, null with null.
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

    /// Feeds the same for values that compare as equal.
    fileprivate func hashResult(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        // Equal numbers of different forms are one double.
        case .integer, .double, .decimal, .boolean: hasher.combine(Number(self)?.double)
        case .text(let text), .uri(let text): hasher.combine(text)
        case .date(let date): hasher.combine(date)
        case .binary(let data): hasher.combine(data)
        case .uuid(let uuid): hasher.combine(uuid)
        case .objectID(let id): hasher.combine(id)
        }
    }

    /// The order of results: null first, by the law where it has an order, else by the kinds of
    /// values.
    static func resultOrder(_ a: StoredValue, _ b: StoredValue) -> Int {
        if let order = order(a, b) { return order }
        return formOrder(a, b)
    }

    /// An order in which only values of one form, too, are equal.
    static func formOrder(_ a: StoredValue, _ b: StoredValue) -> Int {
        if precedes(a, b) { return -1 }
        return precedes(b, a) ? 1 : 0
    }
}

extension [StoredValue] {
    /// An order of lists of one length in which only values of one form, too, are equal.
    static func formOrder(_ a: [StoredValue], _ b: [StoredValue]) -> Int {
        for (x, y) in zip(a, b) {
            let order = StoredValue.formOrder(x, y)
            if order != 0 { return order }
        }
        return 0
    }
}
