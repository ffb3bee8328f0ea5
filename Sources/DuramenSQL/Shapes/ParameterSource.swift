package import DuramenModel
import Foundation

/// The value of a condition that a placeholder represents, and its form.
package struct ParameterSource: Sendable, Hashable {
    /// The value's index among those that ``PredicateShape`` counts.
    package let value: Int
    /// The form of the parameter.
    package let form: ParameterForm

    init(_ value: Int, _ form: ParameterForm) {
        self.value = value
        self.form = form
    }

    /// Returns the parameter for a statement.
    ///
    /// - Parameter values: The values that ``PredicateShape`` counts.
    /// - Returns: Nil if the value does not have the form.
    package func parameter(of values: [StoredValue]) -> SQLParameter? {
        form.parameter(of: values[value])
    }
}

/// The form in which a value becomes a parameter.
package enum ParameterForm: Sendable, Hashable {
    /// In the storage class of a column, so that both compare exactly.
    case column(SlotKind)
    /// The lowest text that begins with a text.
    case textStart
    /// The lowest text above all that begin with a text.
    case textEnd
    /// The bytes of a text.
    case textBytes
    /// The key of an object.
    case key

    /// Returns the parameter; nil if the value cannot be compared with the column exactly.
    package func parameter(of value: StoredValue) -> SQLParameter? {
        switch self {
        case .column(let kind): return Self.parameter(for: value, kind)
        case .textStart: return Self.bytes(of: value).map { .textBytes($0) }
        case .textEnd:
            guard var bytes = Self.bytes(of: value), let last = bytes.popLast() else { return nil }
            // UTF-8 does not contain the byte 0xFF, so the last byte can be incremented.
            bytes.append(last &+ 1)
            return .textBytes(bytes)
        case .textBytes: return Self.bytes(of: value).map { .bytes($0) }
        case .key:
            guard case .objectID(let id) = value else { return nil }
            return .integer(id.key)
        }
    }

    private static func bytes(of value: StoredValue) -> [UInt8]? {
        switch value {
        case .text(let text), .uri(let text): text.withUTF8 { Array($0) }
        default: nil
        }
    }

    private static func parameter(for value: StoredValue, _ kind: SlotKind) -> SQLParameter? {
        switch (kind, value) {
        case (.integer, _), (.boolean, _), (.double, _), (.float, _): number(value)
        case (.date, .date(let date)): .double(date.timeIntervalSinceReferenceDate)
        case (.text, .text(let text)), (.text, .uri(let text)), (.uri, .text(let text)),
            (.uri, .uri(let text)):
            .text(text)
        case (.binary, .binary(let data)): .bytes(Array(data))
        case (.uuid, .uuid(let identifier)):
            .bytes(withUnsafeBytes(of: identifier.uuid) { Array($0) })
        default: nil
        }
    }

    private static func number(_ value: StoredValue) -> SQLParameter? {
        switch value {
        case .integer(let number): return .integer(number)
        case .boolean(let flag): return .integer(flag ? 1 : 0)
        case .double(let number): return number.isNaN ? nil : .double(number)
        case .decimal(let number):
            // Other decimals have no exact REAL.
            guard let whole = Int64(number.description) else { return nil }
            return .integer(whole)
        default: return nil
        }
    }
}
