public import DuramenModel
import Foundation

extension FetchCast {
    /// Returns the value converted to the type: null for null, nil if it cannot be converted.
    public func value(of value: StoredValue) -> StoredValue? {
        if value.isNull { return .null }
        switch self {
        case .number: return number(value)
        case .decimal:
            if let text = value.textValue { return Self.decimal(Self.trimmed(text)) }
            switch Number(value) {
            case .double(let number)?: return Self.decimal(number.description)
            case .whole(let number)?: return .decimal(Decimal(number))
            case .decimal(let number)?: return .decimal(number)
            case nil: return nil
            }
        case .text: return Self.text(value).map { .text(StoredText($0)) }
        case .date: return date(value)
        case .uuid:
            if case .uuid = value { return value }
            return value.textValue.flatMap { UUID(uuidString: $0.string) }.map { .uuid($0) }
        case .uri: return value.textValue.map { .uri($0) }
        case .binary:
            if case .binary = value { return value }
            return value.textValue.flatMap { Data(base64Encoded: $0.string) }.map { .binary($0) }
        case .objectID:
            if case .objectID = value { return value }
            return value.textValue.flatMap { URL(string: $0.string) }
                .flatMap { ManagedObjectID(uri: $0) }.map { .objectID($0) }
        }
    }

    private func number(_ value: StoredValue) -> StoredValue? {
        switch value {
        case .integer, .double, .decimal, .boolean: return value
        case .date(let date): return Number.double(date.timeIntervalSinceReferenceDate).value
        default: break
        }
        guard let text = value.textValue.map(Self.trimmed) else { return nil }
        if let whole = Int64(text) { return .integer(whole) }
        // NaN would have no order among other numbers.
        guard let number = Double(text), !number.isNaN else { return nil }
        return .double(number == 0 ? 0 : number)
    }

    private static func trimmed(_ text: StoredText) -> String {
        text.string.trimmingCharacters(in: .whitespaces)
    }

    private static func decimal(_ text: String) -> StoredValue? {
        // Foundation accepts a number at the start of a text, such as the 12 of 12abc and the 0 of
        // 0x1F.
        guard text.utf8.allSatisfy(decimalSigns.contains), Double(text) != nil,
            let number = Decimal(string: text), !number.isNaN
        else { return nil }
        return .decimal(number)
    }

    private static let decimalSigns = Set("0123456789+-.eE".utf8)

    private func date(_ value: StoredValue) -> StoredValue? {
        switch value {
        case .date: return value
        case .integer, .double, .decimal, .boolean:
            return Number(value).map { .date(Date(timeIntervalSinceReferenceDate: $0.double)) }
        default: break
        }
        guard let text = value.textValue else { return nil }
        return (try? Date(text.string, strategy: .iso8601)).map { .date($0) }
    }

    private static func text(_ value: StoredValue) -> String? {
        switch value {
        case .null, .objectID: nil
        case .integer(let number): String(number)
        case .boolean(let flag): flag ? "1" : "0"
        case .double(let number): Int64(exactly: number).map(String.init) ?? String(number)
        case .decimal(let number): number.description
        case .text(let text), .uri(let text): text.string
        case .date(let date): date.formatted(.iso8601)
        case .uuid(let uuid): uuid.uuidString
        case .binary(let data): data.base64EncodedString()
        }
    }
}
