import Foundation

extension ModelArchive {
    /// A value with its type: `{"integer": "5"}`. Numbers are texts, so that no digit is lost.
    struct Literal: Codable {
        var integer: String?
        var double: String?
        var decimal: String?
        var text: String?
        var boolean: Bool?
        /// Seconds since 2001-01-01 00:00 UTC.
        var date: String?
        /// Base64.
        var binary: String?
        var uuid: String?
        var uri: String?

        /// Creates a literal; nil for null, and for references, which a model cannot have.
        init?(_ value: StoredValue) {
            switch value {
            case .null, .objectID: return nil
            case .integer(let number): integer = String(number)
            case .double(let number): double = String(number)
            case .decimal(let number): decimal = number.storedDigits
            case .text(let text): self.text = text.string
            case .boolean(let flag): boolean = flag
            case .date(let date): self.date = String(date.timeIntervalSinceReferenceDate)
            case .binary(let data): binary = data.base64EncodedString()
            case .uuid(let uuid): self.uuid = uuid.uuidString
            case .uri(let text): uri = text.string
            }
        }

        func value() throws(ModelError) -> StoredValue {
            let values: [StoredValue?] = [
                integer.flatMap { Int64($0) }.map { .integer($0) },
                double.flatMap { Double($0) }.map { .double($0) },
                decimal.flatMap { Decimal(string: $0) }.map { .decimal($0) },
                text.map { .text(StoredText($0)) }, boolean.map { .boolean($0) },
                date.flatMap { Double($0) }
                    .map { .date(Date(timeIntervalSinceReferenceDate: $0)) },
                binary.flatMap { Data(base64Encoded: $0) }.map { .binary($0) },
                uuid.flatMap { UUID(uuidString: $0) }.map { .uuid($0) },
                uri.map { .uri(StoredText($0)) },
            ]
            let found = values.compactMap { $0 }
            guard found.count == 1 else { throw ModelArchive.damaged("a value has no type") }
            return found[0]
        }
    }
}
