import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

/// The evaluator's folding of text as an SQL function: `duramen_fold(text, options)`.
enum FoldingFunction {
    static func register(on connection: Connection) throws(StoreError) {
        // Indexes must not use it, or Core Data could not write the file; a foreign schema must not
        // call it.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let result = sqlite3_create_function_v2(
            connection.handle, SQLiteDialect.foldingFunction, 2, flags, nil,
            { context, _, arguments in
                guard let arguments, let bytes = FoldingFunction.bytes(of: arguments[0]) else {
                    return sqlite3_result_null(context)
                }
                let options = PredicateComparison.Options(
                    rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int64(arguments[1])))
                TextFolding.withFolded(bytes, options) { FoldingFunction.hand($0, to: context) }
            }, nil, nil, nil)
        if result != SQLITE_OK { throw connection.error(result, "open") }
    }

    /// The bytes of an argument; nil for null. They are valid until the function returns.
    static func bytes(of value: OpaquePointer?) -> UnsafeRawBufferPointer? {
        guard sqlite3_value_type(value) != SQLITE_NULL else { return nil }
        // The text as it is stored, without searching a NUL at its end. This call must come first:
        // it may create the text of a number.
        let start = sqlite3_value_blob(value)
        // Sound: `start` has as many bytes.
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    /// Returns a text as a function's result.
    static func hand(_ text: StoredText, to context: OpaquePointer?) {
        text.withUTF8 { hand($0, to: context) }
    }

    private static func hand(_ utf8: UnsafeRawBufferPointer, to context: OpaquePointer?) {
        // Sound: bytes may be read as characters; SQLITE_TRANSIENT has the engine copy them, and is
        // never called.
        sqlite3_result_text64(
            context, utf8.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText,
            UInt64(utf8.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self),
            UInt8(SQLITE_UTF8))
    }
}

// Sound: never freed and never written. It is what an empty text points to.
nonisolated(unsafe) private let emptyText = UnsafePointer<CChar>(
    UnsafeMutablePointer<CChar>.allocate(capacity: 1))
