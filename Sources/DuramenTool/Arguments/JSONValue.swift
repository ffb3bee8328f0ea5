/// A value of JSON, with its position.
///
/// Foundation's parser does not keep whether a number had a fraction, which determines how a
/// predicate divides.
struct JSONValue {
    enum Content {
        case null
        case boolean(Bool)
        case integer(Int64)
        case double(Double)
        case text(String)
        case list([JSONValue])
        case object([(name: String, value: JSONValue)])
    }

    let content: Content
    /// In Unicode scalars from the start of the text.
    let offset: Int
}

/// The error for arguments that cannot be parsed.
struct ArgumentFailure: Error, CustomStringConvertible {
    let description: String

    init(_ message: String, at offset: Int) {
        description = PlainLine("--arguments, character \(offset + 1): \(message)").text
    }
}
