import DuramenModel
import Foundation

extension StoredValue {
    /// The complete value as text: dates by ISO 8601, bytes in Base64, objects by URI.
    var exactText: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        case .double(let number): String(number)
        case .decimal(let number): number.description
        case .text(let text), .uri(let text): text.string
        case .boolean(let flag): String(flag)
        case .date(let date): Timestamp.text(date)
        case .binary(let data): data.base64EncodedString()
        case .uuid(let identifier): identifier.uuidString
        case .objectID(let id): id.uriRepresentation.absoluteString
        }
    }

    /// The value as a short readable text.
    var shortText: String {
        switch self {
        case .null: "nil"
        case .binary(let data): "\(data.count) bytes"
        case .objectID(let id): id.description
        default: exactText
        }
    }
}
