import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

extension SQLiteSnapshot: ExplainingSnapshot {
    /// Returns the statement for a query that was accepted completely, and the lines of the
    /// engine's plan for it.
    ///
    /// A complete table is read with Duramen's own function, whose arguments are the columns of
    /// each row.
    func steps(of query: PreparedQuery) throws(StoreError) -> [String] {
        let (compiled, select) = try QueryCompiler(core).rows(query)
        let steps = try withSource { (source) throws(StoreError) in
            if compiled.usesSink { _ = try source.rowSink() }
            return [select.text.sql] + (try Self.plan(select.text.sql, on: source.connection))
        }
        return steps + missingIndexes(of: select).map { "the first run makes the index \($0)" }
    }

    // SQLite: EXPLAIN QUERY PLAN returns the columns id, parent, notused and detail (eqp.html).
    private static func plan(
        _ sql: String, on connection: Connection
    ) throws(StoreError) -> [String] {
        let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
        var depths: [Int64: Int] = [:]
        var lines: [String] = []
        connection.begin(statement)
        defer { connection.end(statement) }
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { return lines }
            guard result == SQLITE_ROW else { throw connection.error(result, "explain a query on") }
            let depth = depths[sqlite3_column_int64(statement.handle, 1)].map { $0 + 1 } ?? 0
            depths[sqlite3_column_int64(statement.handle, 0)] = depth
            let detail =
                sqlite3_column_text(statement.handle, 3).map { String(cString: $0) } ?? ""
            lines.append(String(repeating: "  ", count: depth) + detail)
        }
    }
}
