import CSQLite
import DuramenStore

/// Plain SQL on a file, as another program would run it.
enum RawDatabase {
    static func run(_ path: String, _ sql: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard
            sqlite3_open_v2(
                path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK,
            sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
        else { throw StoreError(.io, String(cString: sqlite3_errmsg(handle))) }
    }

    /// Begins a write transaction, as another program would.
    static func hold(
        _ path: String, _ handle: inout OpaquePointer?, _ sql: String = "BEGIN IMMEDIATE"
    ) throws {
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
        else { throw StoreError(.io, String(cString: sqlite3_errmsg(handle))) }
    }

    static func release(_ handle: OpaquePointer?) { sqlite3_close_v2(handle) }

    static func texts(_ path: String, _ sql: String) throws -> [String] {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw StoreError(.io, String(cString: sqlite3_errmsg(handle)))
        }
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
        }
        return texts
    }
}
