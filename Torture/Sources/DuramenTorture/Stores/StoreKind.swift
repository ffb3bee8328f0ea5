import CTortureSQLite
import Duramen
import DuramenLMDB
import DuramenSQLite

/// A kind of persistent store under torture: what differs between engines, and nothing else does.
struct StoreKind: Sendable {
    /// The store type, whose name is also that of the kind.
    let type: any PersistentStoreType
    /// Where the store is inside a folder of its own.
    let location: String
    /// The files that hold data, inside that folder; each is damaged in turn.
    let dataFiles: [DataFile]
    /// The ends of the names of files that no loss of power preserves, because whoever opens the
    /// store first makes them anew.
    let volatileSuffixes: [String]
    /// Where a store notes what its file looked like when its last user closed it; nil for stores
    /// that do not.
    let markFile: String?
    /// Whether what is read is compared with checksums, so that a damaged value is never an answer.
    let checksValues: Bool
    /// Asks the engine itself whether a closed store is sound; nil when it is.
    let engineComplaint: @Sendable (_ location: String) -> String?

    /// All kinds. Another engine is one more row.
    static let all: [StoreKind] = [
        StoreKind(
            type: .sqlite, location: "bank.sqlite",
            dataFiles: [
                DataFile("bank.sqlite"), DataFile("bank.sqlite-wal", existsAfterKillOnly: true),
            ],
            volatileSuffixes: ["-shm", ".lock"], markFile: nil, checksValues: false,
            engineComplaint: SQLiteEngine.complaint),
        // LMDB has no check of its own; what it wrote is judged by reading all of it.
        StoreKind(
            type: .lmdb, location: "bank.lmdb", dataFiles: [DataFile("bank.lmdb/data.mdb")],
            volatileSuffixes: ["/lock.mdb", ".lock"], markFile: "bank.lmdb/checked",
            checksValues: true, engineComplaint: { _ in nil }),
    ]

    var name: String { type.name }

    /// The kind with a name; nil for none.
    static func named(_ name: String) -> StoreKind? { all.first { $0.name == name } }

    /// Describes the store in a folder.
    func description(
        in folder: String, durability: Durability = .full, timeoutSeconds: Double = 5
    ) -> PersistentStoreDescription {
        PersistentStoreDescription(
            type: type, location: path(in: folder), timeoutSeconds: timeoutSeconds,
            durability: durability
        ).largestInlineValue(bytes: Bank.largestInlinePortrait)
    }

    /// Whether a file is one that no loss of power preserves.
    func isVolatile(_ name: String) -> Bool { volatileSuffixes.contains { name.hasSuffix($0) } }

    /// Where the store in a folder notes what its file looks like; nil for stores that do not.
    func mark(in folder: String) -> String? { markFile.map { "\(folder)/\($0)" } }

    /// The store's location in a folder.
    func path(in folder: String) -> String { "\(folder)/\(location)" }
}

/// A file of a store that can be damaged.
struct DataFile: Sendable {
    /// Its path in the store's folder.
    let name: String
    /// Whether a store that was closed has no such file.
    let existsAfterKillOnly: Bool

    init(_ name: String, existsAfterKillOnly: Bool = false) {
        self.name = name
        self.existsAfterKillOnly = existsAfterKillOnly
    }
}

/// SQLite's own judgement of a file, by a connection that knows nothing of the library.
enum SQLiteEngine {
    static let version = String(cString: sqlite3_libversion())

    /// What `PRAGMA integrity_check` says of a store; nil when it says ok, or when there is no
    /// file.
    static func complaint(_ path: String) -> String? {
        guard FileSystem.exists(path) else { return nil }
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            return "the engine cannot open it"
        }
        sqlite3_busy_timeout(connection, 5_000)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard
            sqlite3_prepare_v2(connection, "PRAGMA integrity_check", -1, &statement, nil)
                == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW,
            let text = sqlite3_column_text(statement, 0)
        else { return String(cString: sqlite3_errmsg(connection)) }
        let answer = String(cString: text)
        return answer == "ok" ? nil : answer
    }
}
