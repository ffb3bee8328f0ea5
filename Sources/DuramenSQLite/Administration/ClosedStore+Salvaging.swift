import CSQLite
import DuramenFileStore
import DuramenModel
public import DuramenStore

extension ClosedStore {
    /// Copies the rows and large values of a damaged store that can be read.
    ///
    /// - Returns: The parts that could not be read.
    func copyReadableParts(to destination: String) throws(StoreError) -> [String] {
        guard case .file = SystemCalls.kind(of: path), let damaged = try StoreFile.claimAlone(path)
        else { throw StoreError(.storeMissing, "There is no store at '\(path)'.") }
        defer { withExtendedLifetime(damaged) {} }
        let (file, content) = try StoreFile.claim(destination, makes: true)
        guard let file, content == .missing else {
            throw StoreError(
                .invalidRequest, "Something is at '\(destination)' already; name a free path.")
        }
        do throws(StoreError) {
            let connection = try ConnectionOptions(
                file: file, path: destination, isReadOnly: false,
                timeoutSeconds: description.boundedTimeoutSeconds, durability: .unsafeNoSync
            ).open(counters: StoreCounters())
            allowDamage(connection)
            for setting in ["page_size=4096", "auto_vacuum=INCREMENTAL", "encoding='UTF-8'"] {
                try connection.execute("PRAGMA \(setting)")
            }
            var copy = SalvageCopy(into: connection, from: path)
            let losses = try copy.run()
            let values = try valueFolder(of: destination, for: connection)
            try valueFolder(of: path, for: connection).copy(to: values, synchronizes: false)
            return losses + (try values.removeAltered())
        } catch {
            for suffix in ["-wal", "-shm", "-journal", ""] {
                _ = SystemCalls.removeFile(destination + suffix)
            }
            try? ExternalValues.ownFolder(of: destination).remove()
            throw error
        }
    }

    /// Lets the connection attach a damaged file. Its log is not written into it, but the engine
    /// rolls back the transaction of a killed process.
    private func allowDamage(_ connection: Connection) {
        sqlite3_limit(connection.handle, SQLITE_LIMIT_ATTACHED, 1)
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 0), (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
        ] as [(Int32, Int32)] {
            _ = duramen_sqlite3_db_config_flag(connection.handle, option, value)
        }
    }
}

extension SQLiteStoreType: SalvagingStoreType {
    /// Copies the tables of a damaged file, row by row where it is damaged.
    public func copyReadableParts(
        of source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) -> [String] {
        try ClosedStore(source).copyReadableParts(to: destination.location)
    }
}
