import DuramenModel
import Foundation

/// One value in the file. The model says what it stands for.
enum JSONValue: Sendable, Equatable {
    case text(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
}

extension JSONValue {
    /// What is written for an attribute's value; nil for null.
    init?(_ value: StoredValue) {
        switch value {
        case .null, .objectID: return nil
        case .integer(let number): self = .integer(number)
        case .boolean(let flag): self = .boolean(flag)
        case .double(let number): self.init(number)
        case .date(let date): self.init(date.timeIntervalSinceReferenceDate)
        // Digits: a number of JSON would be read as a double, and lose some.
        case .decimal(let number): self = .text("\(number)")
        case .text(let text), .uri(let text): self = .text(text.string)
        case .binary(let data): self = .text(data.base64EncodedString())
        case .uuid(let uuid): self = .text(uuid.uuidString)
        }
    }

    // JSON has no infinite numbers.
    private init(_ number: Double) { self = number.isFinite ? .number(number) : .text("\(number)") }

    /// The value of an attribute; nil when it does not fit the type.
    func value(of type: AttributeType) -> StoredValue? {
        guard let value = unchecked(type) else { return nil }
        // An attribute that was a text keeps its values when it becomes a URI, whatever they say.
        return type == .uri || type.problem(with: value) == nil ? value : nil
    }

    private func unchecked(_ type: AttributeType) -> StoredValue? {
        switch (type, self) {
        case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
            (.integer64, .integer(let number)):
            .integer(number)
        case (.boolean, .boolean(let flag)): .boolean(flag)
        case (.double, _), (.float, _): double.map { .double($0) }
        case (.date, _): double.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case (.decimal, .text(let digits)): Decimal(string: digits).map { .decimal($0) }
        case (.string, .text(let text)): .text(StoredText(text))
        case (.uri, .text(let text)): .uri(StoredText(text))
        case (.binaryData, .text(let text)), (.transformable, .text(let text)):
            Data(base64Encoded: text).map { .binary($0) }
        case (.uuid, .text(let text)): UUID(uuidString: text).map { .uuid($0) }
        default: nil
        }
    }

    private var double: Double? {
        switch self {
        case .number(let number): number
        // A whole number is written without a point.
        case .integer(let number): Double(number)
        case .text(let text): Double(text)
        case .boolean: nil
        }
    }
}

extension JSONValue: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .boolean(try container.decode(Bool.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .integer(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .boolean(let flag): try container.encode(flag)
        }
    }
}
