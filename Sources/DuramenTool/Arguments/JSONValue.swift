/// A value of JSON, with the place where it begins.
///
/// Foundation's reader forgets whether a number had a fraction, which decides how a predicate
/// divides.
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
    /// In Unicode scalars from the beginning of the text.
    let offset: Int
}

/// Why the arguments cannot be read.
struct ArgumentFailure: Error, CustomStringConvertible {
    let description: String

    init(_ message: String, at offset: Int) {
        description = PlainLine("--arguments, character \(offset + 1): \(message)").text
    }
}
