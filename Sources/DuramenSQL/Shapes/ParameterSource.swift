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
    /// In the type of a column, as it is; see ``TypedNumbers``.
    case typed(SlotKind)
    /// The lowest text that begins with a text.
    case textStart
    /// The lowest text above all that begin with a text.
    case textEnd
    /// The lowest text above all that begin with a text, as text.
    case nextText
    /// The bytes of a text.
    case textBytes
    /// A text that is searched in escaped texts.
    case needle
    /// The key of an object.
    case key

    /// Returns the parameter; nil if the value cannot be compared with the column exactly.
    package func parameter(of value: StoredValue) -> SQLParameter? {
        switch self {
        case .column(let kind): return Self.parameter(for: value, kind)
        case .typed(let kind): return TypedNumbers.parameter(of: value, kind)
        case .textStart: return Self.bytes(of: value).map { .textBytes($0) }
        case .textEnd:
            guard var bytes = Self.bytes(of: value), let last = bytes.popLast() else { return nil }
            // UTF-8 does not contain the byte 0xFF, so the last byte can be incremented.
            bytes.append(last &+ 1)
            return .textBytes(bytes)
        case .nextText:
            guard let text = Self.text(of: value) else { return nil }
            return Self.next(after: text).map { .text(StoredText($0)) }
        case .needle:
            guard let text = Self.text(of: value) else { return nil }
            // An escape begins with 1, and the character NUL and 1 become two characters. So these
            // might be found within an escape.
            return text.withUTF8({ $0.first ?? 0 }) > 2 ? .text(text) : nil
        case .textBytes: return Self.bytes(of: value).map { .bytes($0) }
        case .key:
            guard case .objectID(let id) = value else { return nil }
            return .integer(id.key)
        }
    }

    /// The type of the parameter.
    package var type: SQLParameterType {
        switch self {
        case .column(let kind), .typed(let kind): SQLParameterType(kind)
        case .textStart, .textEnd, .nextText, .needle: .text
        case .textBytes: .bytes
        case .key: .bigint
        }
    }

    private static func bytes(of value: StoredValue) -> [UInt8]? {
        text(of: value)?.withUTF8 { Array($0) }
    }

    private static func text(of value: StoredValue) -> StoredText? {
        switch value {
        case .text(let text), .uri(let text): text
        default: nil
        }
    }

    /// The text with the last character replaced by the next one; nil if no text is above all that
    /// begin with this one. The order of characters is that of their bytes.
    private static func next(after text: StoredText) -> String? {
        var scalars = Array(text.string.unicodeScalars)
        while let last = scalars.popLast() {
            // The range between D7FF and E000 has no characters.
            let value = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let next = Unicode.Scalar(value) else { continue }
            scalars.append(next)
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            return String(view)
        }
        return nil
    }

    static func parameter(for value: StoredValue, _ kind: SlotKind) -> SQLParameter? {
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
