import Foundation

extension RowBatchBuilder {
    /// Sets a slot of the row to a value, encoded by the slot's kind. A float slot rounds a double
    /// to a float. Null, and a value that does not fit the kind, leave the slot null.
    public mutating func set(_ value: StoredValue, at slot: Int, as kind: SlotKind) {
        switch (kind, value) {
        case (.integer, .integer(let number)), (.reference, .integer(let number)),
            (.referenceEntity, .integer(let number)):
            set(integer: number, at: slot)
        case (.boolean, .boolean(let flag)): set(integer: flag ? 1 : 0, at: slot)
        case (.double, .double(let number)): set(double: number + 0.0, at: slot)
        case (.float, .double(let number)): set(double: Double(Float(number)) + 0.0, at: slot)
        case (.date, .date(let date)):
            set(double: date.timeIntervalSinceReferenceDate + 0.0, at: slot)
        case (.text, .text(let text)), (.uri, .uri(let text)):
            text.withUTF8 { set(bytes: $0, at: slot) }
        case (.decimal, .decimal(let number)):
            StoredText(number.storedDigits).withUTF8 { set(bytes: $0, at: slot) }
        case (.binary, .binary(let data)), (.transformable, .binary(let data)):
            data.withUnsafeBytes { set(bytes: $0, at: slot) }
        case (.uuid, .uuid(let uuid)): withUnsafeBytes(of: uuid.uuid) { set(bytes: $0, at: slot) }
        default: break
        }
    }
}
