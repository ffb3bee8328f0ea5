import CSQLite
import DuramenStore

/// Notes the rows that a transaction writes, whichever statement does, and writes their checksums
/// before it is committed. Confined by the writer.
final class ChecksumWriter {
    private let connection: Connection
    private let tables: [Table]
    /// The table of the last noted row; most rows follow one of their own table.
    private var last = 0

    /// The rows of a table that a transaction has written.
    private final class Table {
        let rows: RowChecksums.Rows
        var written: [Int64] = []
        var deleted: [Int64] = []
        lazy var writing = rows.writing("t0.Z_PK BETWEEN ? AND ?")
        lazy var deletion =
            "DELETE FROM \(ChecksumTable.name) WHERE ZENT = \(rows.number) "
            + "AND ZROW BETWEEN ? AND ?"
        var statements: (writing: Statement, deletion: Statement)?

        init(_ rows: RowChecksums.Rows) { self.rows = rows }
    }

    init(_ connection: Connection, _ checksums: RowChecksums) throws(StoreError) {
        self.connection = connection
        tables = checksums.tables.filter(\.isCurrent).map { Table($0) }
        // Sound: the hook is taken away before this object ends.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_update_hook(
            connection.handle,
            { context, operation, database, table, key in
                guard let context, let database, let table else { return }
                // Sound: it is the writer that was handed over.
                Unmanaged<ChecksumWriter>.fromOpaque(context).takeUnretainedValue()
                    .note(operation, database, table, key)
            }, context)
    }

    deinit { sqlite3_update_hook(connection.handle, nil, nil) }

    private func note(
        _ operation: Int32, _ database: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>,
        _ key: Int64
    ) {
        // A migration attaches another file.
        guard sqlite3_stricmp(database, "main") == 0 else { return }
        if last >= tables.count || sqlite3_stricmp(name, tables[last].rows.name) != 0 {
            guard let place = tables.firstIndex(where: { sqlite3_stricmp(name, $0.rows.name) == 0 })
            else {
                return
            }
            last = place
        }
        if operation == SQLITE_DELETE {
            tables[last].deleted.append(key)
        } else if tables[last].written.last != key {
            tables[last].written.append(key)
        }
    }

    /// Forgets what a transaction has written.
    func forget() {
        for table in tables {
            table.written.removeAll()
            table.deleted.removeAll()
        }
    }

    /// Writes the checksums of all rows that the transaction has written.
    func write() throws(StoreError) {
        for table in tables where !table.written.isEmpty || !table.deleted.isEmpty {
            let statements = try statements(of: table)
            for keys in Self.runs(of: table.deleted) { try run(statements.deletion, keys) }
            for keys in Self.runs(of: table.written) { try run(statements.writing, keys) }
        }
        forget()
    }

    private func statements(
        of table: Table
    ) throws(StoreError) -> (writing: Statement, deletion: Statement) {
        if let known = table.statements { return known }
        let made = (try connection.prepare(table.writing), try connection.prepare(table.deletion))
        table.statements = made
        return made
    }

    private func run(_ statement: Statement, _ keys: ClosedRange<Int64>) throws(StoreError) {
        statement.bind(keys.lowerBound, at: 1)
        statement.bind(keys.upperBound, at: 2)
        try connection.run(statement, "save to")
    }

    /// The ranges of neighbouring keys.
    static func runs(of keys: [Int64]) -> [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        for key in keys.sorted() {
            if let last = runs.last, key == last.upperBound || key == last.upperBound &+ 1 {
                runs[runs.count - 1] = last.lowerBound...key
            } else {
                runs.append(key...key)
            }
        }
        return runs
    }
}
