import DuramenArchives
import DuramenModel
import Foundation

/// Values of attributes.
extension KeyedArchiveBuilder {
    /// Adds a value.
    mutating func value(_ value: StoredValue) -> Part {
        switch value {
        // No attribute has an object as its default.
        case .null, .objectID: return Self.null
        case .integer(let number): return add(.integer(number))
        case .double(let number): return add(.double(number))
        case .boolean(let flag): return add(.boolean(flag))
        case .binary(let data): return add(.data(Array(data)))
        case .text(let text): return self.text(text.string)
        case .decimal(let number): return add(.decimal, ArchivedDecimal(number).fields)
        case .date(let date):
            return add(.date, [("NS.time", .double(date.timeIntervalSinceReferenceDate))])
        case .uuid(let uuid):
            return add(
                .uuid, [("NS.uuidbytes", .data(withUnsafeBytes(of: uuid.uuid, Array.init)))])
        case .uri(let text):
            let relative = self.text(text.string)
            return add(.url, [("NS.base", Self.null), ("NS.relative", relative)])
        }
    }

    /// Adds the user info of the application; an empty dictionary for none.
    mutating func notes(_ notes: [String: String]) -> Part {
        let sorted = notes.map { (StoredText($0.key), StoredText($0.value)) }
            .sorted { $0.0 < $1.0 }
        let entries = sorted.map { (key: text($0.0.string), value: text($0.1.string)) }
        return dictionary(.dictionary, entries)
    }
}
