import CSQLite
import DuramenFileStore
import DuramenStore

/// Converts SQLite's result codes to ``StoreError`` values, in this file only.
enum SQLiteErrorMapping {
    /// Returns the error for an `action` that failed on the store at `path`.
    static func error(
        _ result: Int32, connection: OpaquePointer?, path: String, action: String
    ) -> StoreError {
        let words = connection.map { String(cString: sqlite3_errmsg($0)) } ?? ""
        let system = connection.map { sqlite3_system_errno($0) } ?? 0
        let detail = "SQLite \(result)\(system == 0 ? "" : ", errno \(system)"): \(words)"
        let (code, remedy) = meaning(of: result, systemError: system, words)
        return StoreError(code, "Cannot \(action) '\(path)': \(remedy)", detail: detail)
    }

    /// Whether a unique value would be duplicated.
    static func isUniqueViolation(_ result: Int32) -> Bool { result == 2067 }

    /// Whether a primary key would be duplicated.
    static func isKeyViolation(_ result: Int32) -> Bool { result == 1555 || result == 2579 }

    // 2067, 1555 and 2579 are SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID, 1032 is
    // SQLITE_READONLY_DBMOVED: macros of sums, which Swift does not import.
    private static func meaning(
        of result: Int32, systemError: Int32, _ words: String
    ) -> (StoreError.Code, String) {
        // A write without space commits nothing; after a failed fsync the outcome is unknown. 1034
        // and 1290 are SQLITE_IOERR_FSYNC and _DIR_FSYNC.
        if SystemCalls.isDiskFull(systemError), result != 1034, result != 1290 {
            return (.diskFull, "the disk is full; nothing was written. Free some space.")
        }
        if result == 1032 {
            return (
                .storeFileMoved,
                "the file was moved or replaced while it was open; close the store and open it "
                    + "again."
            )
        }
        switch result & 0xFF {
        case SQLITE_FULL:
            return (.diskFull, "the disk is full; nothing was written. Free some space.")
        // SQLITE_PROTOCOL: another process has held the log's index for the ten seconds that the
        // engine waits.
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            return (
                .storeBusy,
                "another program holds the store; wait for it, or give a longer time-out."
            )
        case SQLITE_READONLY:
            return (.readOnly, "the file or its folder may not be written; change its mode.")
        case SQLITE_PERM, SQLITE_AUTH:
            return (.permissionDenied, "access is not permitted; change the mode of the file.")
        case SQLITE_CANTOPEN:
            return SystemCalls.isPermission(systemError)
                ? (.permissionDenied, "access is not permitted; change the mode of the file.")
                : (.io, "a file of the store could not be opened; check the folder.")
        case SQLITE_CORRUPT:
            return (.damagedFile, "the file is damaged; restore a copy.")
        // The code of `ChecksumFunctions`, with the name of the row.
        case SQLITE_FORMAT:
            return (
                .damagedFile,
                "the object \(words) differs from its checksum; restore a copy, or salvage the rest."
            )
        case SQLITE_NOTADB:
            return (.foreignFile, "the file is not an SQLite database; name another one.")
        case SQLITE_TOOBIG:
            return (.tooLarge, "a value is too large for the engine; make it smaller.")
        case SQLITE_INTERRUPT:
            return (.cancelled, "the work was cancelled.")
        case SQLITE_RANGE, SQLITE_MISUSE, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
            return (.invalidRequest, "the values do not fit the store's tables; check the model.")
        default:
            return (.io, "reading or writing failed; check the disk.")
        }
    }
}
