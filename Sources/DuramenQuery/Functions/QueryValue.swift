public import DuramenModel

/// The value of an expression, or a value with which a predicate is evaluated outside of stores:
/// one value, several values, or named values.
public indirect enum QueryValue: Sendable, Hashable {
    /// One value, perhaps null.
    case value(StoredValue)
    /// Several values. Their order has a meaning only if a function defines it.
    case collection([QueryValue])
    /// Values by their names, which are steps of key paths.
    case dictionary([String: QueryValue])

    /// No value.
    public static let null = QueryValue.value(.null)

    /// The single value; null for several values.
    public var scalar: StoredValue {
        if case .value(let value) = self { value } else { .null }
    }

    /// The elements; nil for a single value.
    public var elements: [QueryValue]? {
        switch self {
        case .value: nil
        case .collection(let elements): elements
        case .dictionary(let values): Array(values.values)
        }
    }

    /// All values that are not null, including those in collections, in their order.
    var flattened: [StoredValue] {
        switch self {
        case .value(let value): value.isNull ? [] : [value]
        case .collection(let elements): elements.flatMap(\.flattened)
        case .dictionary(let values): values.values.flatMap(\.flattened)
        }
    }

    init(_ values: [StoredValue]) { self = .collection(values.map { .value($0) }) }
}

extension StoredValue {
    /// The order of the kind among all kinds, so that all values have an order.
    var kindOrder: Int {
        switch self {
        case .null: 0
        case .boolean, .integer, .double, .decimal: 1
        case .text, .uri: 2
        case .date: 3
        case .binary: 4
        case .uuid: 5
        case .objectID: 6
        }
    }

    // Orders equal numbers, so that results do not depend on the order of the values.
    private var formOrder: Int {
        switch self {
        case .boolean: 1
        case .double: 2
        case .decimal: 3
        case .uri: 4
        default: 0
        }
    }

    /// Returns whether a value comes first in an order of all values, which extends the usual
    /// order.
    static func precedes(_ a: StoredValue, _ b: StoredValue) -> Bool {
        if a.kindOrder != b.kindOrder { return a.kindOrder < b.kindOrder }
        if let order = StoredValue.order(a, b), order != 0 { return order < 0 }
        return a.formOrder < b.formOrder
    }
}

extension [StoredValue] {
    /// The distinct values, ascending.
    var distinct: [StoredValue] {
        var result: [StoredValue] = []
        for value in sorted(by: StoredValue.precedes) {
            if let last = result.last, StoredValue.order(last, value) == 0 { continue }
            result.append(value)
        }
        return result
    }
}
