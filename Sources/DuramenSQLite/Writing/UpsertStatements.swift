import CSQLite
import DuramenModel
import DuramenStore

/// Inserts rows of one entity, and updates stored rows that have the same unique values, by one
/// statement for many rows. Confined by the writer.
///
/// Without it there are three steps: an insertion that fails, a query for stored rows, and updates.
final class UpsertStatements {
    private let plan: WritePlan
    private let changes: ChangeWriter
    /// What follows the rows in the statement.
    private let ending: String
    private let single: Statement
    private var many: Statement?

    /// - Parameter taken: The slots that a stored row takes over; nil leaves it as it is.
    /// - Throws: ``StoreError``, where the file has no index of the constraint.
    init(
        _ plan: WritePlan, _ constraint: UniquenessConstraint, taking taken: SlotSet?,
        _ changes: ChangeWriter
    ) throws(StoreError) {
        self.plan = plan
        self.changes = changes
        let columns = plan.columns
        let target = constraint.slots.map { columns[$0] }.joined(separator: ", ")
        let action: String
        if var slots = taken {
            for (slot, second) in plan.entitySlots where slots.contains(slot) {
                slots.insert(second)
            }
            // These are equal, and the index need not be touched.
            for slot in constraint.slots { slots.remove(slot) }
            let version = "Z_OPT = max(?1, ifnull(\(plan.tableName).Z_OPT, 0) + 1)"
            let values = slots.slots.filter { $0 < columns.count }
                .map { ", \(columns[$0]) = excluded.\(columns[$0])" }
            action = "UPDATE SET \(version)\(values.joined())"
        } else {
            action = "NOTHING"
        }
        ending = " ON CONFLICT (\(target)) DO \(action) RETURNING Z_PK"
        single = try changes.connection.prepare(plan.insertSQL(rows: 1) + ending)
    }

    /// Whether the engine can return the keys of what it wrote.
    static var areSupported: Bool { EngineVersion.loaded.number >= 3_035_000 }

    /// Writes some rows.
    ///
    /// - Returns: The keys of the rows that were written, in their order; those left out have none.
    func write(
        _ rows: RowList, _ places: ArraySlice<Int>, version: Int64
    ) throws(StoreError) -> [Int64] {
        var keys: [Int64] = []
        keys.reserveCapacity(places.count)
        let size = plan.rowsPerInsertion(parameterLimit: changes.connection.parameterLimit)
        var start = places.startIndex
        while start < places.endIndex {
            let count = places.endIndex - start >= size ? size : 1
            let statement = try statement(rows: count)
            statement.bind(version, at: 1)
            changes.binder.bind(rows, places[start..<start + count], plan, to: statement)
            try run(statement, &keys)
            start += count
        }
        return keys
    }

    private func statement(rows count: Int) throws(StoreError) -> Statement {
        if count == 1 { return single }
        if let many { return many }
        let made = try changes.connection.prepare(plan.insertSQL(rows: count) + ending)
        many = made
        return made
    }

    private func run(_ statement: Statement, _ keys: inout [Int64]) throws(StoreError) {
        let connection = changes.connection
        connection.begin(statement)
        var result = statement.step()
        while result == SQLITE_ROW {
            keys.append(sqlite3_column_int64(statement.handle, 0))
            result = statement.step()
        }
        connection.end(statement)
        if result != SQLITE_DONE { throw connection.error(result, "write to") }
    }
}
