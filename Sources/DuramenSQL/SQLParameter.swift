package import DuramenModel

/// A value on its way into a statement, in the engines' own storage classes.
package enum SQLParameter: Sendable, Hashable {
    /// No value.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// A double.
    case double(Double)
    /// Text.
    case text(StoredText)
    /// Text given by bytes that need not be valid UTF-8, such as the end of a range.
    case textBytes([UInt8])
    /// Bytes.
    case bytes([UInt8])
}
