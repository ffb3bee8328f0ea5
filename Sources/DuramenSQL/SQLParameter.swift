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

/// A piece of SQL with the values of its parameters, in the order of their placeholders.
package struct SQLFragment: Sendable, Hashable {
    /// The SQL text; identifiers are quoted and values are placeholders only.
    package var text: String
    /// The values.
    package var parameters: [SQLParameter]

    /// Makes a fragment.
    package init(_ text: String, _ parameters: [SQLParameter] = []) {
        self.text = text
        self.parameters = parameters
    }
}
