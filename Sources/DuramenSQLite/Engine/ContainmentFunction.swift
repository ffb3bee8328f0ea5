import CSQLite
import DuramenQuery
import DuramenSQL
import DuramenStore

/// Whether a text contains bytes, by the evaluator's own search, as an SQL function: `duramen_contains(text, bytes)`.
/// Null where either is null.
enum ContainmentFunction {
    static func register(on connection: Connection) throws(StoreError) {
        // No index uses it, or Core Data could not write the file; no foreign schema may call it.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let result = sqlite3_create_function_v2(
            connection.handle, SQLiteDialect.containmentFunction, 2, flags, nil,
            { context, _, arguments in
                guard let arguments, let text = ContainmentFunction.bytes(arguments[0]),
                    let needle = ContainmentFunction.bytes(arguments[1])
                else { return sqlite3_result_null(context) }
                sqlite3_result_int(context, ByteSearch.first(needle, in: text) == nil ? 0 : 1)
            }, nil, nil, nil)
        if result != SQLITE_OK { throw connection.error(result, "open") }
    }

    /// The bytes of a value; nil for null. They are the engine's, until the function returns.
    private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
        guard sqlite3_value_type(value) != SQLITE_NULL else { return nil }
        // Text as it is stored, without looking for a NUL at its end. In this order: it may make the text of a number.
        let start = sqlite3_value_blob(value)
        // Sound: `start` has as many bytes.
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
}
