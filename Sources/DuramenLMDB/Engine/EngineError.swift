import CLMDB
import DuramenFileStore
import DuramenStore
import Foundation

/// Converts the engine's result codes to ``StoreError`` values, in this file only.
enum EngineError {
    static let notFound = MDB_NOTFOUND
    static let mapResized = MDB_MAP_RESIZED
    static let readersFull = MDB_READERS_FULL

    /// Whether there was too little memory or address space; some systems report an invalid
    /// argument.
    static func isOutOfMemory(_ result: Int32) -> Bool { result == ENOMEM || result == EINVAL }

    /// Returns the error for an `action` that failed on the store at `path`.
    static func error(_ result: Int32, path: String, action: String) -> StoreError {
        let detail = "LMDB \(result): \(String(cString: mdb_strerror(result)))"
        let (code, remedy) = meaning(of: result)
        return StoreError(code, "Cannot \(action) '\(path)': \(remedy)", detail: detail)
    }

    private static func meaning(of result: Int32) -> (StoreError.Code, String) {
        if SystemCalls.isDiskFull(result) {
            return (.diskFull, "the disk is full; nothing was written. Free some space.")
        }
        if SystemCalls.isPermission(result) {
            return (.permissionDenied, "access is not permitted; change the mode of its files.")
        }
        switch result {
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID:
            return (.damagedFile, "a file of the store is damaged; restore a copy.")
        case MDB_VERSION_MISMATCH, MDB_INCOMPATIBLE:
            return (.foreignFile, "it was made by another version of LMDB; name another store.")
        case MDB_READERS_FULL:
            return (
                .readersExhausted,
                "too many different states are held at once; release snapshots before taking new ones."
            )
        case MDB_MAP_FULL, MDB_TXN_FULL, MDB_CURSOR_FULL, MDB_PAGE_FULL:
            return (.tooLarge, "the change is too large for one transaction; save in parts.")
        case MDB_BAD_VALSIZE:
            return (.tooLarge, "a value is too large for the engine; make it smaller.")
        case MDB_PANIC:
            return (.io, "an earlier write failed; close the store and open it again.")
        case MDB_DBS_FULL:
            return (.unsupported, "the model has more root entities than an LMDB store can hold.")
        default:
            return (.io, "reading or writing failed; check the disk and its limits.")
        }
    }
}
