public import DuramenModel
import DuramenQuery

/// A result of a dictionary fetch: values by column name, in the order of the columns.
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

    /// The names of the columns, in the order of the request.
    public var keys: [String] { columns.names }

    /// Returns the value of a column, `.null` if it has none, or nil if the column does not exist.
    public subscript(name: String) -> StoredValue? {
        columns.index(of: name).map { values[$0] }
    }

    /// Returns the value of a column as a Swift type. Numbers are converted if they fit, for
    /// example sums of integers to doubles.
    ///
    /// - Returns: Nil if the column or its value is missing, or the value does not have the type.
    public subscript<Value: AttributeValue>(name: String, as type: Value.Type) -> Value? {
        self[name].flatMap { Value(result: $0) }
    }

    /// Returns the ID of the object in a column: the destination of a to-one, or the object itself.
    public func objectID(_ name: String) -> ManagedObjectID? {
        guard case .objectID(let id)? = self[name] else { return nil }
        return id
    }

    /// The values by name, as an unordered dictionary.
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

    /// Returns the name and value of the column at an index.
    public subscript(index: Int) -> Element { (columns.names[index], values[index]) }
}

extension FetchedDictionary: Hashable {
    /// Whether both have equal names, in the same order, with equal values.
    public static func == (a: FetchedDictionary, b: FetchedDictionary) -> Bool {
        a.values == b.values && (a.columns === b.columns || a.columns.texts == b.columns.texts)
    }

    /// Hashes the values.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

/// The column names that all results of a fetch share.
final class FetchedColumns: Sendable {
    let names: [String]
    private let indexes: [StoredText: Int]

    init(_ names: [String]) {
        self.names = names
        indexes = Dictionary(
            zip(names.map { StoredText($0) }, names.indices),
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the index of the first column with a name.
    func index(of name: String) -> Int? {
        // For few names this is faster than a hash. Equal ASCII strings with equal byte counts have
        // the same bytes.
        if let index = names.prefix(8).firstIndex(of: name),
            names[index].utf8.count == name.utf8.count, name.utf8.allSatisfy({ $0 < 0x80 })
        {
            return index
        }
        return indexes[StoredText(name)]
    }

    var texts: [StoredText] { names.map { StoredText($0) } }
}
