package import DuramenModel
package import Foundation

/// A parameter of a statement, in the engines' own storage classes.
package enum SQLParameter: Sendable, Hashable {
    /// Null.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// A double.
    case double(Double)
    /// Text.
    case text(StoredText)
    /// Text as bytes that need not be valid UTF-8, such as the end of a range.
    case textBytes([UInt8])
    /// Bytes.
    case bytes([UInt8])
    /// A decimal, only in dialects for which ``SQLDialect/comparesDecimals`` is true.
    case decimal(Decimal)
    /// An array, only in dialects for which ``SQLDialect/hasArrays`` is true.
    case list([SQLParameter])
}
