public import DuramenModel

/// The value of an expression, or a value to evaluate a predicate with outside of stores: one
/// value, several, or values by name.
public indirect enum QueryValue: Sendable, Hashable {
    /// One value, perhaps null.
    case value(StoredValue)
    /// Some values, in an order that means something only where a function says so.
    case collection([QueryValue])
    /// Values by their names, which key paths step to.
    case dictionary([String: QueryValue])

    /// No value.
    public static let null = QueryValue.value(.null)

    /// The one value; null for several.
    public var scalar: StoredValue {
        if case .value(let value) = self { value } else { .null }
    }

    /// The elements; nil for one value.
    public var elements: [QueryValue]? {
        switch self {
        case .value: nil
        case .collection(let elements): elements
        case .dictionary(let values): Array(values.values)
        }
    }

    /// All values that are not null, those in collections too, in their order.
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
    /// The place of the kind among all, so that values that do not compare have an order too.
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

    // Among equal numbers, so that results do not depend on the order in which values came.
    private var formOrder: Int {
        switch self {
        case .boolean: 1
        case .double: 2
        case .decimal: 3
        case .uri: 4
        default: 0
        }
    }

    /// An order of all values: the law's where it has one.
    static func precedes(_ a: StoredValue, _ b: StoredValue) -> Bool {
        if a.kindOrder != b.kindOrder { return a.kindOrder < b.kindOrder }
        if let order = StoredValue.order(a, b), order != 0 { return order < 0 }
        return a.formOrder < b.formOrder
    }
}

extension [StoredValue] {
    /// Each value that differs under the law once, ascending.
    var distinct: [StoredValue] {
        var result: [StoredValue] = []
        for value in sorted(by: StoredValue.precedes) {
            if let last = result.last, StoredValue.order(last, value) == 0 { continue }
            result.append(value)
        }
        return result
    }
}
