public import Foundation

/// A value of one of Foundation's basic classes in a keyed archive.
///
/// Core Data's default transformers store the values of transformable attributes as such archives.
/// There is a case for each class, so that a value is written with the bytes from which it was
/// read.
///
/// ```swift
/// let value = try ArchivedValue(archive: bytes)
/// if case .array(let elements) = value { print(elements.count) }
/// ```
public enum ArchivedValue: Sendable {
    /// `NSNull`.
    case null
    /// Text.
    case string(String)
    /// An integer.
    case integer(Int64)
    /// An integer above the largest `Int64`.
    case unsigned(UInt64)
    /// A double.
    case double(Double)
    /// A float.
    case float(Float)
    /// A Boolean.
    case boolean(Bool)
    /// `NSDecimalNumber`.
    case decimal(Decimal)
    /// A date.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// A URL.
    case url(ArchivedURL)
    /// An array.
    case array([ArchivedValue])
    /// A set, in the order of the archive.
    case set([ArchivedValue])
    /// An ordered set.
    case orderedSet([ArchivedValue])
    /// A dictionary, in the order of the archive.
    case dictionary([Entry])
    /// A string, data or collection of a mutable class, such as `NSMutableArray`.
    indirect case mutable(ArchivedValue)
    /// An object of another class, which the caller allowed by name.
    case object(ArchivedObject)

    /// A key of a dictionary and its value.
    public struct Entry: Sendable, Hashable {
        /// The key.
        public var key: ArchivedValue
        /// The value.
        public var value: ArchivedValue

        /// Creates an entry.
        public init(_ key: ArchivedValue, _ value: ArchivedValue) {
            self.key = key
            self.value = value
        }
    }

    /// Returns a dictionary with strings as keys, sorted by their bytes.
    public static func sorted(_ values: [String: ArchivedValue]) -> ArchivedValue {
        .dictionary(
            values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { Entry(.string($0.key), $0.value) })
    }

    /// The value without the marker for mutable classes.
    public var immutable: ArchivedValue {
        if case .mutable(let value) = self { value.immutable } else { self }
    }
}

extension ArchivedValue: Hashable {
    /// Returns whether two values are equal. The order of sets and dictionaries does not count.
    /// `0.0` and `-0.0` are different, and so are texts with different bytes.
    ///
    /// - Complexity: O(*n*) in the size of the values.
    public static func == (a: ArchivedValue, b: ArchivedValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.integer(let a), .integer(let b)): a == b
        case (.unsigned(let a), .unsigned(let b)): a == b
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.boolean(let a), .boolean(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a == b || a.isNaN && b.isNaN
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.bitPattern
                == b.timeIntervalSinceReferenceDate.bitPattern
        case (.data(let a), .data(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.url(let a), .url(let b)): a == b
        case (.array(let a), .array(let b)), (.orderedSet(let a), .orderedSet(let b)): a == b
        case (.set(let a), .set(let b)): hasSameElements(a, b)
        case (.dictionary(let a), .dictionary(let b)): hasSameElements(a, b)
        case (.mutable(let a), .mutable(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }

    private static func hasSameElements<Element: Hashable>(_ a: [Element], _ b: [Element]) -> Bool {
        if a == b { return true }
        guard a.count == b.count else { return false }
        var counts: [Element: Int] = [:]
        for element in a { counts[element, default: 0] += 1 }
        for element in b {
            guard let count = counts[element], count > 0 else { return false }
            counts[element] = count - 1
        }
        return true
    }

    /// Hashes the value, with the elements of sets and dictionaries in any order.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
        case .integer(let number): hasher.combine(number)
        case .unsigned(let number): hasher.combine(number)
        case .double(let number): hasher.combine(number.bitPattern)
        case .float(let number): hasher.combine(number.bitPattern)
        case .boolean(let flag): hasher.combine(flag)
        case .decimal(let number): hasher.combine(number)
        case .date(let date): hasher.combine(date.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let data): hasher.combine(data)
        case .uuid(let uuid): hasher.combine(uuid)
        case .url(let url): hasher.combine(url)
        case .array(let elements), .orderedSet(let elements): hasher.combine(elements)
        case .set(let elements): Self.combine(elements, into: &hasher)
        case .dictionary(let entries): Self.combine(entries, into: &hasher)
        case .mutable(let value): value.hash(into: &hasher)
        case .object(let object): hasher.combine(object)
        }
    }

    private static func combine(_ elements: [some Hashable], into hasher: inout Hasher) {
        hasher.combine(elements.reduce(0) { $0 ^ $1.hashValue })
    }
}
