import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// The table `DURAMEN_MODEL`, in which Duramen's stores keep their model, by its checksum.
struct ModelTable {
    static let creation =
        "CREATE TABLE IF NOT EXISTS DURAMEN_MODEL "
        + "(ZCHECKSUM VARCHAR PRIMARY KEY, ZARCHIVE BLOB) WITHOUT ROWID"

    let connection: Connection

    /// Returns the archive of the version with a checksum; nil for none.
    func archive(of checksum: String) throws(StoreError) -> Data? {
        let tables = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = "
        guard try connection.integer(tables + "'DURAMEN_MODEL'") == 1 else { return nil }
        let statement = try connection.prepare(
            "SELECT ZARCHIVE FROM DURAMEN_MODEL WHERE ZCHECKSUM = ?")
        statement.bind(.text(StoredText(checksum)), at: 1)
        connection.begin(statement)
        defer { connection.end(statement) }
        let result = statement.step()
        if result == SQLITE_DONE { return nil }
        guard result == SQLITE_ROW else { throw connection.error(result, "read the model of") }
        let packed = UnsafeRawBufferPointer(
            start: sqlite3_column_blob(statement.handle, 0),
            count: Int(sqlite3_column_bytes(statement.handle, 0)))
        do throws(ModelCacheDamage) {
            return Data(try Inflation.inflate(packed, maximumBytes: ModelCacheReader.maximumBytes))
        } catch {
            throw StoreError(
                .damagedFile,
                "The model that '\(connection.path)' keeps cannot be read: \(error.reason). Open the "
                    + "store for writing with the application's model, or restore a copy.")
        }
    }

    /// Whether the table has exactly this model, including rules, defaults and user info, which the
    /// checksum does not cover.
    func isCurrent(_ model: ManagedObjectModel) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try archive(of: model.versionChecksum) == model.archived()
        } catch {
            // A damaged archive counts as missing.
            if error.code == .damagedFile { return false }
            throw error
        }
    }

    /// Saves a model, within a transaction.
    func keep(_ model: ManagedObjectModel) throws(StoreError) {
        try connection.execute(Self.creation)
        let statement = try connection.prepare(
            "INSERT OR REPLACE INTO DURAMEN_MODEL (ZCHECKSUM, ZARCHIVE) VALUES (?, ?)")
        statement.bind(.text(StoredText(model.versionChecksum)), at: 1)
        statement.bind(.bytes(try Deflation.deflate(Array(model.archived()))), at: 2)
        try connection.run(statement, "keep the model of")
    }
}
