public import DuramenModel
import DuramenQuery

/// One result of a fetch of dictionaries: values by the names of the columns, in their order.
///
/// ```swift
/// for row in try context.fetchDictionaries(request) {
///     print(row["region.name", as: String.self] ?? "-", row["total", as: Double.self] ?? 0)
/// }
/// ```
public struct FetchedDictionary: Sendable {
    private let columns: FetchedColumns
    /// The values, in the order of ``keys``.
    public let values: [StoredValue]

    init(_ columns: FetchedColumns, _ values: [StoredValue]) {
        self.columns = columns
        self.values = values
    }

    /// The names of the columns, in the order in which the request names them.
    public var keys: [String] { columns.names }

    /// Returns the value of a column, `.null` if it has none, or nil if the column does not exist.
    public subscript(name: String) -> StoredValue? {
        columns.index(of: name).map { values[$0] }
    }

    /// The value of a column as a Swift type. Numbers of other forms are taken where they fit: sums
    /// of whole numbers as doubles, for instance.
    ///
    /// - Returns: Nil when there is no value, no such column, or the value is none of the type.
    public subscript<Value: AttributeValue>(name: String, as type: Value.Type) -> Value? {
        self[name].flatMap { Value(result: $0) }
    }

    /// Returns the ID of the object in a column: the destination of a to-one, or the object itself.
    public func objectID(_ name: String) -> ManagedObjectID? {
        guard case .objectID(let id)? = self[name] else { return nil }
        return id
    }

    /// The values by name, as a dictionary without an order.
    public var dictionary: [String: StoredValue] {
        Dictionary(zip(keys, values)) { first, _ in first }
    }
}

extension FetchedDictionary: RandomAccessCollection {
    /// A name with its value.
    public typealias Element = (key: String, value: StoredValue)

    /// The index of the first column.
    public var startIndex: Int { 0 }

    /// The number of columns.
    public var endIndex: Int { values.count }

    /// The column at an index.
    public subscript(index: Int) -> Element { (columns.names[index], values[index]) }
}

extension FetchedDictionary: Hashable {
    /// True when the same names, in the same order, have the same values.
    public static func == (a: FetchedDictionary, b: FetchedDictionary) -> Bool {
        a.values == b.values && (a.columns === b.columns || a.columns.texts == b.columns.texts)
    }

    /// Feeds the values.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

/// The names that all results of a fetch share.
final class FetchedColumns: Sendable {
    let names: [String]
    private let indexes: [StoredText: Int]

    init(_ names: [String]) {
        self.names = names
        indexes = Dictionary(
            zip(names.map { StoredText($0) }, names.indices),
            uniquingKeysWith: { first, _ in first })
    }

    /// The index of the first column of a name.
    func index(of name: String) -> Int? {
        // Among few names faster than a hash. Equal strings of as many bytes, all ASCII, have the
        // same bytes.
        if let index = names.prefix(8).firstIndex(of: name),
            names[index].utf8.count == name.utf8.count, name.utf8.allSatisfy({ $0 < 0x80 })
        {
            return index
        }
        return indexes[StoredText(name)]
    }

    var texts: [StoredText] { names.map { StoredText($0) } }
}
