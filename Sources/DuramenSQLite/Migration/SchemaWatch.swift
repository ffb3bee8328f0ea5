import CSQLite
import DuramenStore

/// Detects that another connection has migrated the file. Confined like its connection.
///
/// The engine counts how often tables and indexes were created or dropped. Only if this number
/// changed, the list of migrations is read. These reads are not counted as statements.
final class SchemaWatch {
    private let connection: Connection
    private let core: StoreCore
    private let version: Statement
    private var known: Int64?

    init(_ connection: Connection, _ core: StoreCore) throws(StoreError) {
        self.connection = connection
        self.core = core
        version = try connection.prepare("PRAGMA schema_version")
    }

    /// Checks within a transaction.
    ///
    /// - Throws: `.storeMigrated`.
    func check() throws(StoreError) {
        let result = version.step()
        let number = sqlite3_column_int64(version.handle, 0)
        sqlite3_reset(version.handle)
        guard result == SQLITE_ROW else { throw connection.error(result, "read") }
        if number == known { return }
        if try MigrationTable(connection: connection).lastChange() != core.lastMigration {
            throw StoreError.storeMigrated(connection.path)
        }
        known = number
    }
}
