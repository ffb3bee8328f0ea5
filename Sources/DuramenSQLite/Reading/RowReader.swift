import CSQLite
import DuramenModel
import Foundation

/// Copies the current row of a statement into a builder, without making a Swift value.
///
/// Whatever class a value has is converted, so that no file makes this trap.
struct RowReader {
    let plan: ReadPlan
    let schema: AppleSchema
    /// Digits of decimals that no REAL holds; nil while there are none.
    let digits: DecimalDigits?

    /// - Returns: Whether a row was added: not for an entity that was not asked for.
    @inline(__always) func addRow(
        of statement: OpaquePointer, to builder: inout RowBatchBuilder
    ) -> Bool {
        let number = sqlite3_column_int64(statement, 1)
        guard number > 0, number < plan.plans.count else { return false }
        let own = plan.plans[Int(number)]
        guard own.slotCount > 0 else { return false }
        builder.beginRow(
            entity: own.entity, slotCount: own.slotCount, key: sqlite3_column_int64(statement, 0),
            version: RowVersion(rawValue: sqlite3_column_int64(statement, 2)))
        var step = plan.steps.baseAddress! + own.firstStep
        let end = step + own.stepCount
        while step < end {
            let column = step.pointee.column
            let slot = Int(step.pointee.slot)
            // Asking for the type is one more call; only zeros and empty bytes may stand for NULL.
            switch step.pointee.action {
            case .integer:
                let value = sqlite3_column_int64(statement, column)
                if value != 0 || !isNull(statement, column) { builder.set(integer: value, at: slot) }
            case .double:
                let value = sqlite3_column_double(statement, column)
                if value != 0 || !isNull(statement, column) { builder.set(double: value, at: slot) }
            case .text, .bytes:
                // `column_text` would copy a text to end it with a NUL.
                let start = sqlite3_column_blob(statement, column)
                if start != nil || !isNull(statement, column) {
                    let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
                    builder.set(
                        bytes: UnsafeRawBufferPointer(start: start, count: count), at: slot)
                }
            case .boolean:
                let value = sqlite3_column_int64(statement, column)
                if value != 0 {
                    builder.set(integer: 1, at: slot)
                } else if !isNull(statement, column) {
                    builder.set(integer: 0, at: slot)
                }
            case .uuid: setIdentifier(statement, column, slot, in: &builder)
            case .decimal: setDecimal(statement, column, slot, own, in: &builder)
            case .entity:
                if let entity = schema.entity(number: sqlite3_column_int64(statement, column)) {
                    builder.set(integer: Int64(entity.index), at: slot)
                }
            }
            step += 1
        }
        builder.endRow()
        return true
    }

    @inline(__always) private func isNull(_ statement: OpaquePointer, _ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    private func bytes(
        _ statement: OpaquePointer, _ column: Int32
    ) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
    }

    private func setIdentifier(
        _ statement: OpaquePointer, _ column: Int32, _ slot: Int,
        in builder: inout RowBatchBuilder
    ) {
        let bytes = bytes(statement, column)
        if bytes.count == 16 {
            builder.set(bytes: bytes, at: slot)
        } else if let parsed = UUID(uuidString: String(decoding: bytes, as: UTF8.self)) {
            withUnsafeBytes(of: parsed.uuid) { builder.set(bytes: $0, at: slot) }
        }
    }

    private func setDecimal(
        _ statement: OpaquePointer, _ column: Int32, _ slot: Int, _ plan: EntityPlan,
        in builder: inout RowBatchBuilder
    ) {
        var text: String
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: return
        case SQLITE_INTEGER: text = String(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT:
            let number = sqlite3_column_double(statement, column)
            let key = sqlite3_column_int64(statement, 0)
            if let digits,
                let exact = digits.digits(key: key, entity: plan.entity, slot: slot, near: number)
            {
                text = exact
            } else {
                guard let shortest = DecimalDigits.shortest(of: number) else { return }
                text = shortest
            }
        default:
            let words = String(decoding: bytes(statement, column), as: UTF8.self)
            guard let decimal = Decimal(string: words, locale: DecimalDigits.locale) else { return }
            text = DecimalDigits.digits(of: decimal)
        }
        text.withUTF8 { builder.set(bytes: UnsafeRawBufferPointer($0), at: slot) }
    }
}
