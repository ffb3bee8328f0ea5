import Duramen

/// A value of JSON, with its position.
///
/// Foundation's parser does not keep whether a number had a fraction, which determines how a
/// predicate divides, nor all digits of a number.
struct JSONValue {
    enum Content {
        case null
        case boolean(Bool)
        /// A number as it is written.
        case number(String)
        case text(String)
        case list([JSONValue])
        case object([(name: String, value: JSONValue)])
    }

    /// The most values within each other.
    private static let maximumDepth = 64

    let content: Content
    /// In bytes from the start of the text.
    let offset: Int

    /// Parses a text that is one value.
    static func value(
        of bytes: [UInt8], in range: Range<Int>
    ) throws(JSONMistake) -> JSONValue {
        var reader = JSONReader(bytes, range)
        let value = try value(from: &reader, depth: 0)
        try reader.finish()
        return value
    }

    private static func value(
        from reader: inout JSONReader, depth: Int
    ) throws(JSONMistake) -> JSONValue {
        let kind = try reader.kind()
        let start = reader.position
        if depth > maximumDepth {
            throw JSONMistake(
                offset: start, problem: "there are more than \(maximumDepth) values in each other")
        }
        let content: Content
        switch kind {
        case .null:
            try reader.readNull()
            content = .null
        case .boolean: content = .boolean(try reader.readBoolean())
        case .number:
            content = .number(
                String(decoding: reader.bytes[try reader.readNumber()], as: UTF8.self))
        case .string: content = .text(try reader.readString())
        case .array:
            reader.enter()
            var values: [JSONValue] = []
            var isFirst = true
            while try reader.nextElement(&isFirst) {
                values.append(try value(from: &reader, depth: depth + 1))
            }
            content = .list(values)
        case .object:
            reader.enter()
            var entries: [(name: String, value: JSONValue)] = []
            var isFirst = true
            while let key = try reader.nextKey(&isFirst) {
                let name = try reader.string(key)
                entries.append((name, try value(from: &reader, depth: depth + 1)))
            }
            content = .object(entries)
        }
        return JSONValue(content: content, offset: start)
    }

    /// The member of an object with a name; nil when there is none.
    subscript(name: String) -> JSONValue? {
        guard case .object(let entries) = content else { return nil }
        return entries.first { $0.name == name }?.value
    }
}

/// The error for arguments that cannot be parsed.
struct ArgumentFailure: Error, CustomStringConvertible {
    let description: String

    /// - Parameter offset: The place in the text, in bytes.
    init(_ message: String, at offset: Int) {
        description = PlainLine("--arguments, character \(offset + 1): \(message)").text
    }
}
