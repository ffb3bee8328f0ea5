import CSQLite
import DuramenModel
import DuramenSQL
import Foundation

/// The values of tombstones, in columns without a type: decimals keep their digits as text.
enum TombstoneValue {
    static func parameter(_ value: StoredValue) -> SQLParameter {
        switch value {
        case .null, .objectID: .null
        case .integer(let number): .integer(number)
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .double(let number): .double(number)
        case .date(let date): .double(date.timeIntervalSinceReferenceDate)
        case .decimal(let number): .text(StoredText(number.storedDigits))
        case .text(let text), .uri(let text): .text(text)
        case .binary(let data): .bytes(Array(data))
        case .uuid(let uuid): .bytes(withUnsafeBytes(of: uuid.uuid) { Array($0) })
        }
    }

    /// Returns the value of a column, written by any program.
    static func value(_ columns: StatementColumns, _ column: Int32, _ kind: SlotKind) -> StoredValue
    {
        if columns.isNull(column) { return .null }
        switch kind {
        case .integer, .reference, .referenceEntity: return .integer(columns.integer(column))
        case .boolean: return .boolean(columns.integer(column) != 0)
        case .double, .float: return .double(columns.double(column))
        case .date:
            return .date(Date(timeIntervalSinceReferenceDate: columns.double(column)))
        case .text: return .text(StoredText(utf8: columns.bytes(column)))
        case .uri: return .uri(StoredText(utf8: columns.bytes(column)))
        case .decimal: return .decimal(Decimal(storedDigits: columns.bytes(column)))
        case .binary, .transformable: return .binary(Data(columns.bytes(column)))
        case .uuid:
            let bytes = columns.bytes(column)
            return bytes.count == 16
                ? .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) : .null
        }
    }
}
