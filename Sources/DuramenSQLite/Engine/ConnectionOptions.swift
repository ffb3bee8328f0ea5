import CSQLite
import DuramenFileStore
import DuramenStore

/// The options for opening connections, with equal protections for readers and writers.
struct ConnectionOptions: Sendable {
    /// The claim that every connection holds.
    var file: OpenStoreFile
    var path: String
    var isReadOnly: Bool
    var timeoutSeconds: Double
    var durability: Durability
    /// Whether diagnostics never show values of statements.
    var hidesValues = false
    /// Whether the file has no log and is opened without locks; see ``openReading(_:counters:)``.
    var isImmutable = false

    /// Opens a connection to an existing file.
    func open(counters: StoreCounters) throws(StoreError) -> Connection {
        var opened: OpaquePointer?
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        flags |= isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        // Without a folder the engine would interpret ":memory:" and "file:…" as special names.
        let place = path.hasPrefix("/") ? path : "./" + path
        var name = place
        if isImmutable {
            flags |= SQLITE_OPEN_URI
            name = "file:" + Self.escaped(place) + "?immutable=1"
        }
        let result = sqlite3_open_v2(name, &opened, flags, nil)
        guard result == SQLITE_OK, let opened else {
            let failure = SQLiteErrorMapping.error(
                result, connection: opened, path: path, action: "open")
            if let opened { sqlite3_close_v2(opened) }
            throw failure
        }
        let connection = Connection(
            handle: opened, file: file, path: path, counters: counters,
            timeoutSeconds: timeoutSeconds, hidesValues: hidesValues)
        protect(connection)
        return connection
    }

    /// Prevents the file from running code or changing the engine's behaviour.
    private func protect(_ connection: Connection) {
        let handle = connection.handle
        sqlite3_busy_timeout(handle, Int32(clamping: Int(timeoutSeconds * 1000)))
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
        ] as [(Int32, Int32)] {
            _ = duramen_sqlite3_db_config_flag(handle, option, value)
        }
        for (limit, value) in [
            (SQLITE_LIMIT_SQL_LENGTH, 1_000_000), (SQLITE_LIMIT_ATTACHED, 0),
        ] as [(Int32, Int32)] {
            sqlite3_limit(handle, limit, value)
        }
    }

    /// Applies settings that read the file, once it is known to be a database.
    func configure(_ connection: Connection, cacheKibibytes: Int) throws(StoreError) {
        var pragmas = [
            "cell_size_check=ON", "mmap_size=0", "cache_size=-\(cacheKibibytes)",
            "temp_store=MEMORY", "wal_autocheckpoint=0",
        ]
        if isReadOnly {
            pragmas.append("query_only=ON")
        } else {
            let synchronous =
                switch durability {
                case .full: "FULL"
                case .relaxed: "NORMAL"
                case .unsafeNoSync: "OFF"
                }
            pragmas.append("synchronous=\(synchronous)")
        }
        let sql = pragmas.map { "PRAGMA \($0);" }.joined()
        let result = sqlite3_exec(connection.handle, sql, nil, nil, nil)
        if result != SQLITE_OK { throw connection.error(result, "open") }
    }

    static func escaped(_ path: String) -> String {
        var result = ""
        for byte in path.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, 45, 46, 47, 95:
                result.append(Character(UnicodeScalar(byte)))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return result
    }
}
