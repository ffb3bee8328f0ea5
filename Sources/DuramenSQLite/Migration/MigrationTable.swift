import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// The table `DURAMEN_EPOCH`: every change of the file's model, each as JSON. A file has it once
/// its model was changed.
struct MigrationTable {
    /// What one row says.
    struct Entry: Codable {
        var record: StoreMigrationRecord
        /// The numbers of the entities before, by name.
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

    /// The number of the last change; 0 for none.
    ///
    /// The table is looked for first: the engine says that a table is missing even when it got no
    /// lock to look, after ten seconds, and whoever went on would wait as long again.
    func lastChange() throws(StoreError) -> Int64 {
        let tables = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = "
        if try connection.looked(tables + "'DURAMEN_EPOCH'") == 0 { return 0 }
        return try connection.looked("SELECT MAX(Z_PK) FROM DURAMEN_EPOCH")
    }

    /// Returns `.storeMigrated` for an error of a program that works with an earlier model, and the
    /// error itself otherwise.
    ///
    /// - Parameter change: The number of the last change that the program knows.
    func cause(of error: StoreError, since change: Int64) -> StoreError {
        guard [.io, .damagedFile].contains(error.code), let last = try? lastChange(), last != change
        else { return error }
        return .storeMigrated(connection.path)
    }

    /// The highest number that an entity has had; 0 for none.
    func highestNumber() throws(StoreError) -> Int {
        try entries().flatMap(\.numbers.values).max() ?? 0
    }

    /// Notes a change of a file that had a schema before.
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
        // Some changes of a model change no table. Other connections look for a new model only when
        // the schema number of the file has changed, so a table is made and dropped to change it.
        try connection.execute("CREATE TABLE DURAMEN_NEW_0 (Z_PK)")
        try connection.execute("DROP TABLE DURAMEN_NEW_0")
    }
}
