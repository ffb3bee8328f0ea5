import CSQLite
import DuramenModel
import DuramenStore

/// Inserts rows of one entity, and updates stored rows with equal unique values, with one statement
/// for many rows. Confined by the writer.
///
/// Without it there are three steps: a failed insertion, a query for stored rows, and updates.
final class UpsertStatements {
    private let plan: WritePlan
    private let changes: ChangeWriter
    /// The text after the rows in the statement.
    private let ending: String
    private let single: Statement
    private var many: Statement?

    /// - Parameters:
    ///   - plan: The plan for writing rows of the entity.
    ///   - constraint: The constraint whose values are compared.
    ///   - taken: The slots that are updated in a stored row; nil leaves stored rows unchanged.
    ///   - changes: The writer of changes.
    /// - Throws: ``StoreError`` if the file has no index for the constraint.
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
            // These are equal, so the index need not be updated.
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

    /// Whether the engine can return the keys of written rows.
    static var areSupported: Bool { EngineVersion.loaded.number >= 3_035_000 }

    /// Writes some rows.
    ///
    /// - Returns: The keys of the written rows, in order, without those of skipped rows.
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
