import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// The table `DURAMEN_EPOCH`: every migration of the file, each as JSON. A file has the table after
/// its first migration.
struct MigrationTable {
    /// The content of one row.
    struct Entry: Codable {
        var record: StoreMigrationRecord
        /// The numbers of the previous entities, by name.
        var numbers: [String: Int]
    }

    let connection: Connection

    func entries() throws(StoreError) -> [Entry] {
        let tables = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = "
        guard try connection.integer(tables + "'DURAMEN_EPOCH'") == 1 else { return [] }
        let texts = try connection.texts("SELECT ZJSON FROM DURAMEN_EPOCH ORDER BY Z_PK")
        var entries: [Entry] = []
        for text in texts {
            do {
                entries.append(try JSONDecoder().decode(Entry.self, from: Data(text.utf8)))
            } catch {
                throw StoreError(
                    .damagedFile,
                    "The list of versions of '\(connection.path)' cannot be read; restore a copy.",
                    detail: "\(error)")
            }
        }
        return entries
    }

    /// The number of the last migration; 0 for none.
    ///
    /// This looks for the table in the file's schema first. Without a lock, the engine reports a
    /// missing table after ten seconds, and another statement would wait as long again.
    func lastChange() throws(StoreError) -> Int64 {
        let tables = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = "
        if try connection.looked(tables + "'DURAMEN_EPOCH'") == 0 { return 0 }
        return try connection.looked("SELECT MAX(Z_PK) FROM DURAMEN_EPOCH")
    }

    /// Returns `.storeMigrated` for an error caused by using an earlier model, and otherwise the
    /// error itself.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - change: The number of the last migration that the caller knows.
    func cause(of error: StoreError, since change: Int64) -> StoreError {
        guard [.io, .damagedFile].contains(error.code), let last = try? lastChange(), last != change
        else { return error }
        return .storeMigrated(connection.path)
    }

    /// Returns the highest number that an entity has had; 0 for none.
    func highestNumber() throws(StoreError) -> Int {
        try entries().flatMap(\.numbers.values).max() ?? 0
    }

    /// Records a migration of a file that had a schema before.
    func add(_ change: SchemaChange, of old: AppleSchema, at date: Date, save: Int64)
        throws(StoreError)
    {
        var numbers: [String: Int] = [:]
        for entity in change.source.entities {
            numbers[entity.name] = old.numbers[entity.id.index]
        }
        try add(
            Entry(record: StoreMigrationRecord(change, date: date, save: save), numbers: numbers))
    }

    private func add(_ entry: Entry) throws(StoreError) {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS DURAMEN_EPOCH (Z_PK INTEGER PRIMARY KEY, ZJSON VARCHAR)")
        let json: Data
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            json = try encoder.encode(entry)
        } catch {
            throw StoreError(.io, "The change of the model cannot be noted.", detail: "\(error)")
        }
        let statement = try connection.prepare("INSERT INTO DURAMEN_EPOCH (ZJSON) VALUES (?)")
        statement.bind(.textBytes(Array(json)), at: 1)
        try connection.run(statement, "migrate")
        // Some migrations change no table. Other connections check the model only if the file's
        // schema number has changed. Creating and dropping a table changes it.
        try connection.execute("CREATE TABLE DURAMEN_NEW_0 (Z_PK)")
        try connection.execute("DROP TABLE DURAMEN_NEW_0")
    }
}
