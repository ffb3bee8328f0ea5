import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore

/// Inserts rows, many rows of one entity with one statement.
///
/// Running one statement for 32 rows costs less than running a statement 32 times.
final class RowInserter {
    // Sound: the writer owns this object and lives longer.
    private unowned(unsafe) let writer: ChangeWriter
    private let connection: Connection
    // Statements for one row and for many rows, by entity.
    private var singles: [Statement?]
    private var manies: [Statement?]

    init(_ writer: ChangeWriter) {
        self.writer = writer
        connection = writer.connection
        singles = Array(repeating: nil, count: writer.plans.count)
        manies = singles
    }

    func insert(_ rows: RowList, order: [Int], version: Int64) throws(WriteStop) {
        var start = 0
        while start < order.count {
            let entity = rows[order[start]].entityID
            var end = start + 1
            while end < order.count, rows.entityIndex(at: order[end]) == entity.index {
                end += 1
            }
            try insert(rows, order[start..<end], writer.plans[entity.index], version)
            start = end
        }
    }

    /// Inserts rows of one entity.
    private func insert(
        _ rows: RowList, _ order: ArraySlice<Int>, _ plan: WritePlan, _ version: Int64
    ) throws(WriteStop) {
        let size = plan.rowsPerInsertion(parameterLimit: connection.parameterLimit)
        var start = order.startIndex
        if size > 1, order.count >= size {
            let many = try statement(plan, &manies, rows: size)
            many.bind(version, at: 1)
            while order.endIndex - start >= size {
                try run(many, rows, order[start..<start + size], plan)
                start += size
            }
        }
        guard start < order.endIndex else { return }
        let single = try statement(plan, &singles, rows: 1)
        single.bind(version, at: 1)
        while start < order.endIndex {
            try run(single, rows, order[start...start], plan)
            start += 1
        }
    }

    private func statement(
        _ plan: WritePlan, _ known: inout [Statement?], rows: Int
    ) throws(WriteStop) -> Statement {
        if let statement = known[plan.entity.index] { return statement }
        let made = try writer.stop { () throws(StoreError) in
            try connection.prepare(plan.insertSQL(rows: rows))
        }
        known[plan.entity.index] = made
        return made
    }

    private func run(
        _ statement: Statement, _ rows: RowList, _ order: ArraySlice<Int>, _ plan: WritePlan
    ) throws(WriteStop) {
        writer.binder.bind(rows, order, plan, to: statement)
        connection.begin(statement)
        let result = statement.step()
        connection.end(statement)
        if result != SQLITE_DONE {
            // The rows before the failed one were written and counted.
            let place = min(order.startIndex + connection.changes, order.endIndex - 1)
            throw failed(result, rows[order[place]])
        }
        if plan.decimalSlots.isEmpty { return }
        for place in order {
            try writer.writeDigits(rows[place], plan, plan.decimalSlots, isNew: true)
        }
    }

    private func failed(_ result: Int32, _ row: Row) -> WriteStop {
        guard SQLiteErrorMapping.isKeyViolation(result) else { return writer.failed(result) }
        let schema = writer.schema
        return .failure(
            StoreError(
                .invalidRequest,
                "An object cannot be inserted under the key \(row.key) of "
                    + "'\(schema.model[row.entityID].name)', which is in use; allocate keys.",
                objectID: row.objectID(in: schema.model, store: schema.store)))
    }
}
