package import DuramenModel

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
}
