import DuramenModel
import Foundation

extension StoredValue {
    /// The name of a section whose rows have this value. A text is its own name; numbers are in
    /// digits, Booleans "true" or "false", dates in ISO 8601 in UTC. Null gives an empty name.
    var sectionName: StoredText {
        if case .text(let text) = self { return text }
        return StoredText(descriptionOfSection)
    }

    private var descriptionOfSection: String {
        switch self {
        case .null: ""
        case .text(let text), .uri(let text): text.string
        case .integer(let value): String(value)
        case .double(let value):
            Int64(exactly: value).map(String.init) ?? String(value)
        case .decimal(let value): value.description
        case .boolean(let value): String(value)
        case .date(let value): value.formatted(.iso8601)
        case .uuid(let value): value.uuidString
        case .binary(let value): value.base64EncodedString()
        case .objectID(let id): id.uriRepresentation.absoluteString
        }
    }
}
