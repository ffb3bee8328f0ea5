import CSQLite
import DuramenModel
import Foundation

/// Copies the current row of a statement into a builder, without creating Swift values.
///
/// Values of any storage class are converted, so that no file causes a trap.
struct RowReader {
    let plan: ReadPlan
    let schema: AppleSchema
    /// The digits of decimals without an exact REAL; nil if there are none.
    let digits: DecimalDigits?
    /// Reads values in files, and stores the failures of all rows.
    let external: ExternalReading

    /// - Returns: Whether a row was added: false if its entity was not requested.
    @inline(__always) func addRow(
        of statement: OpaquePointer, to builder: inout RowBatchBuilder
    ) -> Bool {
        plan.addRow(of: StatementColumns(statement: statement), to: &builder) {
            if $0.action == .external {
                setExternal(statement, $0, $1.entity, in: &$2)
            } else {
                setDecimal(statement, $0.column, Int($0.slot), $1, in: &$2)
            }
        }
    }

    private func setExternal(
        _ statement: OpaquePointer, _ step: ColumnStep, _ entity: EntityID,
        in builder: inout RowBatchBuilder
    ) {
        if sqlite3_column_type(statement, step.column) == SQLITE_NULL { return }
        external.set(
            bytes(statement, step.column), at: Int(step.slot),
            key: sqlite3_column_int64(statement, 0), of: entity, in: &builder)
    }

    private func bytes(
        _ statement: OpaquePointer, _ column: Int32
    ) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
    }

    private func setDecimal(
        _ statement: OpaquePointer, _ column: Int32, _ slot: Int, _ plan: EntityReadPlan,
        in builder: inout RowBatchBuilder
    ) {
        var text: String
        let type = sqlite3_column_type(statement, column)
        switch type {
        case SQLITE_NULL: return
        case SQLITE_INTEGER, SQLITE_FLOAT:
            // The engine stores a REAL without a fraction as an integer.
            let number = sqlite3_column_double(statement, column)
            let key = sqlite3_column_int64(statement, 0)
            if let digits,
                let exact = digits.digits(key: key, entity: plan.entity, slot: slot, near: number)
            {
                text = exact
            } else if type == SQLITE_INTEGER {
                text = String(sqlite3_column_int64(statement, column))
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
