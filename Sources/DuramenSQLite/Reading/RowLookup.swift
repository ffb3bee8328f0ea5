import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore

/// The statement that finds one row of an entity by its key, for single faults.
final class RowLookup {
    let entityHandle: EntityHandle
    private let statement: Statement
    private let handle: OpaquePointer
    private let plan: ReadPlan
    private let own: EntityReadPlan
    private let number: Int64
    // The memory for a row, learned from the rows before. Sound: the connection is confined.
    @exclusivity(unchecked) private var capacity = 256

    init(
        _ source: RowSource, _ entity: EntityID, _ entityHandle: EntityHandle
    ) throws(StoreError) {
        let core = source.core
        self.entityHandle = entityHandle
        plan = core.plans[entity.index]
        number = core.schema.number(of: entity)
        own = plan.plans[Int(number)]
        statement = try source.connection.prepare(
            "SELECT \(plan.columns) FROM \(core.schema.table(of: entity)) AS t0 WHERE t0.Z_PK = ?")
        handle = statement.handle
    }

    func row(_ key: Int64, on source: RowSource) throws(StoreError) -> Row? {
        let connection = source.connection
        sqlite3_bind_int64(handle, 1, key)
        connection.begin(statement)
        var rows = 0
        defer { connection.end(statement, rows: rows) }
        let result = sqlite3_step(handle)
        guard result == SQLITE_ROW else {
            if result == SQLITE_DONE { return nil }
            throw connection.error(result, "read")
        }
        guard sqlite3_column_int64(handle, 1) == number else { return nil }
        var builder = RowBatchBuilder(capacity: capacity)
        let row: Row?
        if own.isPlain, let first = plan.steps.baseAddress {
            let nulls = plan.addWords(
                of: StatementColumns(statement: handle), own, first + own.firstStep, key: key,
                to: &builder)
            capacity = min(max(capacity, builder.byteCount), RowBatchSize.mostReservedBytes)
            row = builder.finishOnlyRow(nulls: nulls)
        } else {
            let reader = try source.reader(for: plan)
            _ = reader.addRow(of: handle, to: &builder)
            try reader.external.check()
            row = builder.finish().first
        }
        rows = 1
        source.core.counters.noteRows(1)
        return row
    }
}
