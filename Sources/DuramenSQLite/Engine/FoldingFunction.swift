import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

/// The evaluator's folding of text as an SQL function: `duramen_fold(text, options)`.
enum FoldingFunction {
    static func register(on connection: Connection) throws(StoreError) {
        // No index uses it, or Core Data could not write the file; no foreign schema may call it.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let result = sqlite3_create_function_v2(
            connection.handle, SQLiteDialect.foldingFunction, 2, flags, nil,
            { context, _, arguments in
                guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else {
                    sqlite3_result_null(context)
                    return
                }
                let start = sqlite3_value_blob(arguments[0])
                let bytes = UnsafeRawBufferPointer(
                    start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(arguments[0])))
                let options = PredicateComparison.Options(
                    rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int64(arguments[1])))
                FoldingFunction.hand(TextFolding.fold(bytes, options), to: context)
            }, nil, nil, nil)
        if result != SQLITE_OK { throw connection.error(result, "open") }
    }

    /// Gives a text as a function's result.
    static func hand(_ text: StoredText, to context: OpaquePointer?) {
        text.withUTF8 { utf8 in
            // SQLITE_TRANSIENT: the engine copies the bytes.
            sqlite3_result_text64(
                context, utf8.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText,
                UInt64(utf8.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self),
                UInt8(SQLITE_UTF8))
        }
    }
}

// Sound: never freed and never written. It is what an empty text points to.
nonisolated(unsafe) private let emptyText = UnsafePointer<CChar>(
    UnsafeMutablePointer<CChar>.allocate(capacity: 1))
