public import Foundation

/// One value in the form that contexts, queries and stores exchange.
///
/// The set of cases is closed: every store must handle each of them.
public enum StoredValue: Sendable, Hashable, Codable {
    /// No value.
    case null
    /// An integer of any width.
    case integer(Int64)
    /// A double, or a float widened to a double. Never NaN, never -0.0.
    case double(Double)
    /// An exact decimal number. Never NaN.
    case decimal(Decimal)
    /// Text.
    case text(StoredText)
    /// True or false.
    case boolean(Bool)
    /// A point in time.
    case date(Date)
    /// Bytes.
    case binary(Data)
    /// A 128-bit identifier.
    case uuid(UUID)
    /// A uniform resource identifier, by its text.
    case uri(StoredText)
    /// A reference to a managed object.
    case objectID(ManagedObjectID)

    /// Whether the value is ``null``.
    public var isNull: Bool { self == .null }
}
