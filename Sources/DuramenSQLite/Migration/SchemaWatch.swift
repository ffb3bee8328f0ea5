import CSQLite
import DuramenModel
import DuramenStore

/// Notices that another connection has changed the model of the file. Confined like its connection.
///
/// The engine counts how often tables and indexes were made or dropped. Only when that number is
/// another one the metadata are read again.
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

    /// Looks within a transaction.
    ///
    /// - Throws: `.storeMigrated`.
    func check() throws(StoreError) {
        let result = version.step()
        let number = sqlite3_column_int64(version.handle, 0)
        sqlite3_reset(version.handle)
        guard result == SQLITE_ROW else { throw connection.error(result, "read") }
        if number == known { return }
        let table = MetadataTable(connection: connection)
        if let format = try table.formatVersion() {
            let metadata = try table.metadata()
            let names = core.schema.model.entities(
                unlike: metadata.modelChecksum, metadata.entityVersionHashes,
                omitsReferences: format < MetadataTable.firstFormatWithReferences)
            if !names.isEmpty { throw StoreError.storeMigrated(connection.path) }
        }
        known = number
    }
}
