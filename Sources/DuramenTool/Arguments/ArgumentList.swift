import Duramen
import DuramenModel
import DuramenQuery
import Foundation

/// The values for the placeholders of a format string, from JSON.
///
/// An object with one entry is a value that JSON does not have: `{"date": "2026-01-01T00:00:00Z"}`,
/// and likewise `uuid`, `decimal`, `data` (Base64), `url` and `objectID`.
struct ArgumentList {
    let arguments: [any PredicateArgument]

    /// - Parameters:
    ///   - json: An array; nil for no arguments.
    ///   - knowsEntities: Whether a model defines the entities. Otherwise an object ID may name any
    ///     entity.
    init(_ json: String?, knowsEntities: Bool) throws(ArgumentFailure) {
        guard let json else {
            arguments = []
            return
        }
        let value = try Self.json(json)
        guard case .list(let elements) = value.content else {
            throw ArgumentFailure("an array is expected; write it in brackets.", at: value.offset)
        }
        var arguments: [any PredicateArgument] = []
        for element in elements {
            if case .list(let parts) = element.content {
                var values: [StoredValue] = []
                for part in parts { values.append(try Self.value(part, knowsEntities)) }
                arguments.append(values)
            } else {
                arguments.append(try Self.value(element, knowsEntities))
            }
        }
        self.arguments = arguments
    }

    private static func json(_ text: String) throws(ArgumentFailure) -> JSONValue {
        let bytes = Array(text.utf8)
        do {
            return try JSONValue.value(of: bytes, in: 0..<bytes.count)
        } catch {
            throw ArgumentFailure("\(error.problem).", at: error.offset)
        }
    }

    private static func number(_ digits: String, at offset: Int) throws(ArgumentFailure)
        -> StoredValue
    {
        if let number = Int64(digits) { return .integer(number) }
        let isWhole = !digits.contains { ".eE".contains($0) }
        guard !isWhole, let number = Double(digits), number.isFinite else {
            throw ArgumentFailure(
                "the number is too large; write {\"decimal\": \"…\"}.", at: offset)
        }
        return .double(number + 0.0)
    }

    private static func value(
        _ json: JSONValue, _ knowsEntities: Bool
    ) throws(ArgumentFailure) -> StoredValue {
        switch json.content {
        case .null: return .null
        case .boolean(let flag): return .boolean(flag)
        case .number(let digits): return try number(digits, at: json.offset)
        case .text(let text): return .text(StoredText(text))
        case .list:
            throw ArgumentFailure(
                "an array within an array is not a valid argument.", at: json.offset)
        case .object(let entries):
            guard entries.count == 1, case .text(let text) = entries[0].value.content else {
                throw ArgumentFailure(
                    "an object is one entry with a text, such as {\"uuid\": \"…\"}.",
                    at: json.offset)
            }
            let offset = entries[0].value.offset
            if !knowsEntities, StoredText(entries[0].name) == "objectID" { intern(text) }
            return try value(entries[0].name, text, json.offset, offset)
        }
    }

    private static func value(
        _ kind: String, _ text: String, _ start: Int, _ offset: Int
    ) throws(ArgumentFailure) -> StoredValue {
        let (value, expected): (StoredValue?, String)
        switch kind {
        case "date":
            (value, expected) = (
                Timestamp.date(text).map { .date($0) },
                "no date of ISO 8601, such as 2026-01-01T00:00:00Z"
            )
        case "uuid":
            (value, expected) = (UUID(uuidString: text).map { .uuid($0) }, "no UUID")
        case "decimal":
            (value, expected) = (
                decimal(text).map { .decimal($0) }, "no decimal number, such as 1.10"
            )
        case "data":
            (value, expected) = (Data(base64Encoded: text).map { .binary($0) }, "no Base64")
        case "url": (value, expected) = (.uri(StoredText(text)), "")
        case "objectID":
            (value, expected) = (
                URL(string: text).flatMap { ManagedObjectID(uri: $0) }.map { .objectID($0) },
                "no URI of an object whose entity the model has, such as x-coredata://…/Book/p7"
            )
        default:
            throw ArgumentFailure(
                "'\(kind)' is not a kind of value; write date, uuid, decimal, data, url or objectID.",
                at: start)
        }
        guard let value else { throw ArgumentFailure("the text is \(expected).", at: offset) }
        return value
    }

    /// Checks the text first, because Foundation parses only as much as it understands.
    private static func decimal(_ text: String) -> Decimal? {
        guard text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?/) != nil,
            let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")),
            !number.isNaN
        else { return nil }
        return number
    }

    /// Registers the entity of an object ID, if no model does.
    private static func intern(_ uri: String) {
        let parts = uri.split(separator: "/")
        guard parts.count == 4, let name = String(parts[2]).removingPercentEncoding else { return }
        _ = EntityHandle(name: name)
    }
}
