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
        return plan.plans.withUnsafeBufferPointer { plans in
            guard let own = plans[Int(number)] else { return false }
            let key = sqlite3_column_int64(statement, 0)
            builder.beginRow(
                entity: own.entity, slotCount: own.slotCount, key: key,
                version: RowVersion(rawValue: sqlite3_column_int64(statement, 2)))
            own.steps.withUnsafeBufferPointer { steps in
                for step in steps {
                    // Unprotected values are safe here: the connection is confined.
                    let value = sqlite3_column_value(statement, step.column)
                    let type = sqlite3_value_type(value)
                    if type == SQLITE_NULL { continue }
                    let slot = Int(step.slot)
                    switch step.action {
                    case .integer: builder.set(integer: sqlite3_value_int64(value), at: slot)
                    case .double: builder.set(double: sqlite3_value_double(value), at: slot)
                    case .boolean:
                        builder.set(integer: sqlite3_value_int64(value) == 0 ? 0 : 1, at: slot)
                    case .text:
                        if type == SQLITE_TEXT || type == SQLITE_BLOB {
                            // `value_text` would copy the text to end it with a NUL.
                            builder.set(bytes: Self.bytes(of: value), at: slot)
                        } else {
                            _ = sqlite3_value_text(value)
                            builder.set(bytes: Self.bytes(of: value), at: slot)
                        }
                    case .bytes: builder.set(bytes: Self.bytes(of: value), at: slot)
                    case .uuid: Self.setIdentifier(Self.bytes(of: value), at: slot, in: &builder)
                    case .decimal: setDecimal(value, type, key, step, own, in: &builder)
                    case .entity:
                        if let entity = schema.entity(number: sqlite3_value_int64(value)) {
                            builder.set(integer: Int64(entity.index), at: slot)
                        }
                    }
                }
            }
            builder.endRow()
            return true
        }
    }

    @inline(__always) private static func bytes(of value: OpaquePointer?) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    private static func setIdentifier(
        _ bytes: UnsafeRawBufferPointer, at slot: Int, in builder: inout RowBatchBuilder
    ) {
        if bytes.count == 16 {
            builder.set(bytes: bytes, at: slot)
        } else if let parsed = UUID(uuidString: String(decoding: bytes, as: UTF8.self)) {
            withUnsafeBytes(of: parsed.uuid) { builder.set(bytes: $0, at: slot) }
        }
    }

    private func setDecimal(
        _ value: OpaquePointer?, _ type: Int32, _ key: Int64, _ step: ColumnStep, _ plan: EntityPlan,
        in builder: inout RowBatchBuilder
    ) {
        var text: String
        switch type {
        case SQLITE_INTEGER: text = String(sqlite3_value_int64(value))
        case SQLITE_FLOAT:
            let number = sqlite3_value_double(value)
            if let digits,
                let exact = digits.digits(
                    key: key, entity: plan.entity, slot: Int(step.slot), near: number)
            {
                text = exact
            } else {
                guard let shortest = DecimalDigits.shortest(of: number) else { return }
                text = shortest
            }
        default:
            _ = sqlite3_value_text(value)
            let words = String(decoding: Self.bytes(of: value), as: UTF8.self)
            guard let decimal = Decimal(string: words, locale: DecimalDigits.locale) else { return }
            text = DecimalDigits.digits(of: decimal)
        }
        text.withUTF8 { builder.set(bytes: UnsafeRawBufferPointer($0), at: Int(step.slot)) }
    }
}
