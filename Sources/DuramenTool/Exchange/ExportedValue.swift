import Duramen
import DuramenModel
import Foundation

/// An attribute's value in a line of an export.
///
/// A value has the form that imports read. Where that is not exact, such as for an infinite number,
/// its bits are under the attribute's name in `@exact`.
enum ExportedValue {
    /// The form that imports read, as JSON, and whether it reads back as the same bits; nil when it
    /// cannot be read.
    static func text(_ row: Row, _ attribute: Attribute) -> (text: String, isExact: Bool)? {
        let slot = attribute.slot
        if row.isNull(slot) { return ("null", true) }
        var value = row.value(slot, attribute.kind)
        var text = JSONText.text(value)
        switch value {
        case .integer, .uuid, .boolean, .text, .uri: break
        case .binary where attribute.kind != .transformable: break
        case .double(let number) where number.isFinite: break
        case .decimal(let number) where number.isFinite: text = number.description
        case .date(let date):
            // Microseconds are fewer digits than a date may have.
            guard let read = ISO8601Date.date(of: Timestamp.text(date)) else { return nil }
            value = .date(read)
        default: return nil
        }
        return (text, isSame(value, row, attribute))
    }

    /// Whether a value has the bits of the row when it is written.
    private static func isSame(_ value: StoredValue, _ row: Row, _ attribute: Attribute) -> Bool {
        var builder = RowBatchBuilder(capacity: 64)
        builder.beginRow(
            entity: row.entityID, slotCount: row.slotCount, key: row.key, version: .unsaved)
        builder.set(value, at: attribute.slot, as: attribute.kind)
        builder.endRow()
        return builder.finish()[0].hasSameValue(attribute.slot, attribute.kind, as: row)
    }

    /// The bits of a value, as JSON: a word in hexadecimal digits, or bytes in Base64.
    static func bits(_ row: Row, _ attribute: Attribute) -> String {
        if attribute.kind.isTail {
            let bytes = row.withBytes(attribute.slot) { Data($0) }
            return JSONText.quoted(bytes.base64EncodedString())
        }
        let digits = String(UInt64(bitPattern: row.integer(attribute.slot)), radix: 16)
        return JSONText.quoted("0x" + digits)
    }

    /// Sets the bits of a value.
    ///
    /// - Returns: False when the JSON is something else.
    static func setBits(
        _ json: JSONValue, of attribute: Attribute, in builder: inout RowBatchBuilder
    ) -> Bool {
        guard case .text(let text) = json.content else { return false }
        if attribute.kind.isTail {
            guard let bytes = Data(base64Encoded: text) else { return false }
            builder.set(.binary(bytes), at: attribute.slot, as: .binary)
            return true
        }
        guard text.hasPrefix("0x"), let word = UInt64(text.dropFirst(2), radix: 16) else {
            return false
        }
        builder.set(integer: Int64(bitPattern: word), at: attribute.slot)
        return true
    }

    /// The value of JSON in the form that imports read; nil when it is of another form.
    static func value(_ json: JSONValue, of attribute: Attribute) -> StoredValue? {
        switch (attribute.kind, json.content) {
        case (_, .null): .null
        case (.integer, .number(let digits)): Int64(digits).map { .integer($0) }
        case (.double, .number(let digits)), (.float, .number(let digits)):
            Double(digits).map { .double($0) }
        case (.decimal, .number(let digits)): Decimal(string: digits).map { .decimal($0) }
        case (.boolean, .boolean(let flag)): .boolean(flag)
        case (.date, .text(let text)): ISO8601Date.date(of: text).map { .date($0) }
        case (.text, .text(let text)): .text(StoredText(text))
        case (.uri, .text(let text)): .uri(StoredText(text))
        case (.uuid, .text(let text)): UUID(uuidString: text).map { .uuid($0) }
        case (.binary, .text(let text)): Data(base64Encoded: text).map { .binary($0) }
        default: nil
        }
    }
}
